//! What of a campaign has been run: each unit once, kept in a journal where there is one.
//!
//! A journal is a file of records, a line each, appended as they come. A last line without its end was torn by whatever
//! interrupted the campaign: it is cut off, and its unit is run again. Records that are no unit's of this campaign stay where
//! they are and are not counted.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use wavemark_diag::Diagnostic;

use super::{Campaign, Record};
use crate::files;
use crate::report::ExitStatus;

/// The records of a campaign.
#[derive(Debug)]
pub struct Ledger {
    campaign: Arc<Campaign>,
    records: BTreeMap<u64, Record>,
    journal: Option<File>,
}

impl Ledger {
    /// The ledger of a campaign, with what its journal has already.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read or written, or is a file of something else.
    pub fn open(campaign: Arc<Campaign>, journal: Option<&Path>) -> Result<Ledger, Diagnostic> {
        let mut ledger = Ledger { campaign, records: BTreeMap::new(), journal: None };
        let Some(path) = journal else { return Ok(ledger) };
        let name = path.display().to_string();
        let unusable =
            |error: std::io::Error| Diagnostic::error(format!("cannot use the journal {name}: {error}"));
        let bytes = match path.exists() {
            true => files::read_regular(path, u64::MAX)
                .map_err(|why| Diagnostic::error(format!("cannot read the journal {name}: {why}")))?,
            false => Vec::new(),
        };
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let text = std::str::from_utf8(&bytes[..whole])
            .map_err(|_| Diagnostic::error(format!("the journal {name} is not UTF-8")))?;
        for (number, line) in text.lines().enumerate() {
            let record = Record::from_line(line).map_err(|error| {
                let what = format!("{name}:{}: this is no record of a campaign: {error}", number + 1);
                Diagnostic::error(what).help("give --journal a file of its own")
            })?;
            if let Some(number) = ledger.campaign.number_of(&record) {
                ledger.records.insert(number, record);
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(unusable)?;
        file.set_len(whole as u64).map_err(unusable)?;
        ledger.journal = Some(file);
        Ok(ledger)
    }

    /// The campaign.
    pub fn campaign(&self) -> &Campaign {
        &self.campaign
    }

    /// The records, by the numbers of their units.
    pub fn records(&self) -> &BTreeMap<u64, Record> {
        &self.records
    }

    /// The units that no record is of.
    pub fn left(&self) -> Vec<u64> {
        (0..self.campaign.units()).filter(|number| !self.records.contains_key(number)).collect()
    }

    /// Takes a record; `false` if there is one of its unit.
    ///
    /// # Errors
    ///
    /// If it is of no unit of this campaign, or the journal cannot be written.
    pub fn add(&mut self, record: Record) -> Result<bool, Diagnostic> {
        let Some(number) = self.campaign.number_of(&record) else {
            let what = format!("{}: this is not the kernel that the campaign is of", record.input);
            return Err(
                Diagnostic::error(what).note("its files are others where it was run, or have changed")
            );
        };
        if self.records.contains_key(&number) {
            return Ok(false);
        }
        if let Some(journal) = &mut self.journal {
            let written = record.to_line().map_err(std::io::Error::from);
            let written = written.and_then(|line| journal.write_all(line.as_bytes()));
            written.map_err(|error| Diagnostic::error(format!("cannot write the journal: {error}")))?;
        }
        self.records.insert(number, record);
        Ok(true)
    }

    /// The exit status of the campaign: the greatest of its units'. What was not run has not been found clean.
    pub fn exit_status(&self) -> ExitStatus {
        match self.records.values().map(|record| record.status).max().unwrap_or(0) {
            0 if (self.records.len() as u64) < self.campaign.units() => ExitStatus::Unsupported,
            0 => ExitStatus::Clean,
            1 => ExitStatus::Findings,
            2 => ExitStatus::Unusable,
            _ => ExitStatus::Unsupported,
        }
    }
}
