"""Values over lanes: frames, values that vary, and how messages show them."""
