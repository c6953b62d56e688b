//! Image dimensions: `dim:` of gfx10 and later (RDNA manuals, "Image Opcodes", table of DIM).

/// An image dimension: its number is the position in [`DIMENSIONS`].
#[derive(Debug)]
pub(crate) struct Dimension {
    /// Behind `SQ_RSRC_IMG_`.
    pub(crate) name: &'static str,
    /// Coordinates, the sample's number included.
    pub(super) coords: u8,
    /// Derivatives, two of each axis.
    pub(super) gradients: u8,
    /// Multisampled.
    pub(crate) msaa: bool,
}

const fn dimension(name: &'static str, coords: u8, gradients: u8, msaa: bool) -> Dimension {
    Dimension { name, coords, gradients, msaa }
}

/// Dimensions by number.
pub(crate) static DIMENSIONS: [Dimension; 8] = [
    dimension("1D", 1, 2, false),
    dimension("2D", 2, 4, false),
    dimension("3D", 3, 6, false),
    dimension("CUBE", 3, 4, false),
    dimension("1D_ARRAY", 2, 2, false),
    dimension("2D_ARRAY", 3, 4, false),
    dimension("2D_MSAA", 3, 4, true),
    dimension("2D_MSAA_ARRAY", 4, 4, true),
];
