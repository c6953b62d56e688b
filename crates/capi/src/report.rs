//! Reports.

use std::ffi::{CString, c_char};

use wavemark_driver::session::Session;
use wavemark_driver::{Parts, report};

use crate::status::{Problem, attempt, c_text, there, value};

/// What a launch came to.
pub struct Report {
    exit_status: i32,
    findings: usize,
    outcome: CString,
    text: CString,
    json: CString,
    printed: CString,
    /// Of a launch that was recorded.
    html: Option<CString>,
}

impl Report {
    pub(crate) fn new(session: &Session, report: report::Report) -> Result<Report, Problem> {
        let json = serde_json::to_string(&report)
            .map_err(|error| Problem::unusable(format!("the report cannot be written as JSON: {error}")))?;
        let printed: Vec<&str> = report.printed.iter().map(|one| one.text.as_str()).collect();
        Ok(Report {
            exit_status: report.exit_status() as i32,
            findings: report.findings.len(),
            outcome: c_text(report.outcome.name()),
            text: c_text(&session.text(&report, Parts::All)),
            json: c_text(&json),
            printed: c_text(&printed.concat()),
            html: report.recording.is_some().then(|| c_text(&session.page(&report))),
        })
    }
}

/// Deletes a report.
///
/// # Safety
///
/// `report` is from a launch and not deleted, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_report_delete(report: *mut Report) {
    if !report.is_null() {
        // SAFETY: it was made by `Box::into_raw` and is given back once, as the caller promises.
        let owned = unsafe { Box::from_raw(report) };
        attempt(|| {
            drop(owned);
            Ok(())
        });
    }
}

/// 0: clean; 1: findings; 3: something is not modelled, or a check did not happen. -1: `report` is null.
///
/// # Safety
///
/// `report` is a report, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_report_exit_status(report: *const Report) -> i32 {
    // SAFETY: as the caller promises.
    value(-1, || Ok(unsafe { there(report, "report") }?.exit_status))
}

/// How many findings there are.
///
/// # Safety
///
/// `report` is a report, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_report_finding_count(report: *const Report) -> usize {
    // SAFETY: as the caller promises.
    value(0, || Ok(unsafe { there(report, "report") }?.findings))
}

/// The outcome's name: "clean", "findings", … It stays as long as the report, as do the texts of it.
///
/// # Safety
///
/// `report` is a report, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_report_outcome(report: *const Report) -> *const c_char {
    // SAFETY: as the caller promises.
    value(std::ptr::null(), || Ok(unsafe { there(report, "report") }?.outcome.as_ptr()))
}

/// The report for people.
///
/// # Safety
///
/// `report` is a report, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_report_text(report: *const Report) -> *const c_char {
    // SAFETY: as the caller promises.
    value(std::ptr::null(), || Ok(unsafe { there(report, "report") }?.text.as_ptr()))
}

/// The report as JSON, as `--format json` writes it.
///
/// # Safety
///
/// `report` is a report, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_report_json(report: *const Report) -> *const c_char {
    // SAFETY: as the caller promises.
    value(std::ptr::null(), || Ok(unsafe { there(report, "report") }?.json.as_ptr()))
}

/// What the kernel has printed, on standard output and standard error, in order.
///
/// # Safety
///
/// `report` is a report, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_report_printed(report: *const Report) -> *const c_char {
    // SAFETY: as the caller promises.
    value(std::ptr::null(), || Ok(unsafe { there(report, "report") }?.printed.as_ptr()))
}

/// The report as one HTML page with time lines, LDS and the listing, of a launch with the option "record"; else null.
///
/// # Safety
///
/// `report` is a report, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavemark_report_html(report: *const Report) -> *const c_char {
    value(std::ptr::null(), || {
        // SAFETY: as the caller promises.
        let html = unsafe { there(report, "report") }?.html.as_ref();
        html.map(|html| html.as_ptr()).ok_or_else(|| {
            Problem::unusable("the launch was not recorded: set the option \"record\" to \"true\"")
        })
    })
}
