//! filetests
