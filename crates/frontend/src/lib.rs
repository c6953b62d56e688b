//! TVMScript (Python syntax) to tile programs.
