"""A small compiler: a restricted Python that is made machine code by LLVM, and samplers that are written in it."""
