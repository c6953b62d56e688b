//! The header that is shipped is what the sources say.

use wavemark_capi_header::HEADER;

#[test]
fn header() {
    expect_test::expect_file!["../../include/wavemark.h"].assert_eq(HEADER);
}
