//! codeobj
