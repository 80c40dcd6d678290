"""Machine code: a restricted Python that is compiled by LLVM, and what of the engine is written in it."""
