//! `cargo xtask files`: whole assembly files, ours against LLVM's, section by section and symbol by symbol.
//!
//! LLVM is asked through the inline assembly of a module (see [`super::llvm`]), which adds to the object what an empty
//! module has: that is taken off again. It has no `-I` or `--defsym`: `.include` is found from the folder that the
//! asking process stands in, symbols are set in the first line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use object::elf::{SHT_NOTE, SHT_RELA, SHT_STRTAB, SHT_SYMTAB};
use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _, Sym as _};
use object::{Endianness, Object as _, ObjectSection as _, ObjectSymbol as _};
use wavemark_diag::{SourceMap, render_short};
use wavemark_driver::assembly::{AssemblyOptions, parse_define};
use wavemark_driver::build::{Failure, assemble_input};
use wavemark_driver::input;
use wavemark_target::{Setting, Target, TargetId};

use super::worker::{Whole, ask_whole};

/// `files`
#[derive(Args)]
pub struct FilesArgs {
    /// Assembly files, and folders whose `.s` files are meant
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// The target of files that do not say theirs
    #[arg(long)]
    target: Option<TargetId>,
    /// Features in LLVM's spelling
    #[arg(long, default_value = "", allow_hyphen_values = true)]
    features: String,
    /// Symbols that are numbers
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_define)]
    defsym: Vec<(String, i64)>,
    /// Where `.include` looks, when not in the file's own folder
    #[arg(short = 'I', value_name = "DIR")]
    include: Option<PathBuf>,
    /// Files that differ to show
    #[arg(long, default_value_t = 8)]
    samples: usize,
}

/// Compares all files.
pub fn serve(args: &FilesArgs) -> ExitCode {
    match run(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("files: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// How the two sides compare.
enum Outcome {
    Same,
    BothRefuse(String),
    Differ(String),
}

fn run(args: &FilesArgs) -> Result<bool> {
    let mut paths = Vec::new();
    for input in &args.inputs {
        collect(input, &mut paths)?;
    }
    paths.sort();
    let (mut same, mut refused, mut differ) = (0, BTreeMap::<String, usize>::new(), Vec::new());
    for path in &paths {
        match compare(path, args).with_context(|| path.display().to_string())? {
            Outcome::Same => same += 1,
            Outcome::BothRefuse(why) => *refused.entry(why).or_default() += 1,
            Outcome::Differ(how) => differ.push(format!("{}: {how}", path.display())),
        }
    }
    let by_both = refused.values().sum::<usize>();
    println!("{} files: {same} the same, {by_both} refused by both, {} differ", paths.len(), differ.len());
    for (why, count) in &refused {
        println!("  {count:6} refused: {why}");
    }
    for sample in differ.iter().take(args.samples) {
        println!("  {sample}");
    }
    Ok(differ.is_empty())
}

fn collect(path: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        into.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path).with_context(|| path.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "s") {
            collect(&path, into)?;
        }
    }
    Ok(())
}

fn compare(path: &Path, args: &FilesArgs) -> Result<Outcome> {
    let mut sources = SourceMap::new();
    let shown = |sources: &SourceMap, diagnostic: &_| render_short(sources, diagnostic);
    let input = input::read(path, None).map_err(|diagnostic| anyhow!(shown(&sources, &diagnostic)))?;
    let text = input.text().map_err(|diagnostic| anyhow!(shown(&sources, &diagnostic)))?;
    let said = target_said(text);
    let target = said.or(args.target.map(Target::amdhsa));
    let options =
        AssemblyOptions { include: args.include.iter().cloned().collect(), defines: args.defsym.clone() };
    let ours = match assemble_input(
        &mut sources,
        &input,
        target.as_ref().map(|target| target.id),
        &args.features,
        &options,
    ) {
        Ok(object) => Ok(object.elf),
        Err(Failure::Unsupported(what)) => Err(what),
        Err(Failure::Unusable(diagnostics)) => {
            Err(diagnostics.first().map(|first| shown(&sources, first)).unwrap_or_default())
        }
    };
    let Some(target) = target else { return Ok(Outcome::BothRefuse("no target".to_owned())) };
    let folder = args.include.as_deref().or(path.parent()).unwrap_or(Path::new("."));
    let theirs = llvm(text, &target, args, folder)?;
    Ok(match (ours, theirs) {
        (Ok(ours), Whole::Object(theirs)) => {
            let empty = match llvm("", &target, args, folder)? {
                Whole::Object(bytes) => bytes,
                _ => return Err(anyhow!("LLVM makes nothing of an empty file")),
            };
            match difference(&ours, &theirs, &empty)? {
                None => Outcome::Same,
                Some(how) => Outcome::Differ(how),
            }
        }
        (Ok(_), Whole::Refused(why)) => Outcome::Differ(format!("only LLVM refuses it: {why}")),
        (Ok(_), Whole::Crash) => Outcome::Differ("LLVM crashes".to_owned()),
        (Err(why), Whole::Object(_)) => Outcome::Differ(format!("only we refuse it: {why}")),
        (Err(_), Whole::Refused(why)) => Outcome::BothRefuse(without_place(&why)),
        (Err(_), Whole::Crash) => Outcome::BothRefuse("LLVM crashes".to_owned()),
    })
}

/// The target that a `.amdgcn_target` names, also within a macro or after a label.
fn target_said(text: &str) -> Option<Target> {
    let line = text.lines().find(|line| line.trim_start().starts_with(".amdgcn_target"))?;
    let quoted = line.split('"').nth(1)?;
    quoted.parse::<Target>().ok()
}

fn without_place(message: &str) -> String {
    message.split_once(": ").map_or(message, |(_, rest)| rest).to_owned()
}

fn llvm(text: &str, target: &Target, args: &FilesArgs, folder: &Path) -> Result<Whole> {
    let mut whole = String::new();
    for (name, value) in &args.defsym {
        _ = writeln!(whole, ".set {name}, {value}");
    }
    whole.push_str(text);
    let mut features = Vec::new();
    for (name, setting) in [("xnack", target.id.xnack), ("sramecc", target.id.sramecc)] {
        match setting {
            Setting::On => features.push(format!("+{name}")),
            Setting::Off => features.push(format!("-{name}")),
            _ => {}
        }
    }
    features.extend((!args.features.is_empty()).then(|| args.features.clone()));
    ask_whole(target, &features.join(","), &whole, args.defsym.len(), folder)
}

/// A part of an object: what it is called, and what it holds.
type Part = (String, String);

/// Whether a part belongs to the line table, which we write for texts that do not ask for one, too.
fn of_lines(part: &Part) -> bool {
    part.0.ends_with(" .debug_line")
}

/// What LLVM's object has that an empty file has too, and a line table of ours alone, are not compared.
fn difference(ours: &[u8], theirs: &[u8], empty: &[u8]) -> Result<Option<String>> {
    let (mut ours, mut theirs, empty) = (parts(ours)?, parts(theirs)?, parts(empty)?);
    if !theirs.iter().any(of_lines) {
        ours.retain(|part| !of_lines(part));
    }
    strip_code_end(&ours, &mut theirs);
    // What is there for the module's sake: a note of its own behind the others, sections about its functions.
    theirs.reverse();
    for part in empty.iter().rev() {
        let is_note = part.0.starts_with("note ");
        if let Some(at) = theirs.iter().position(|other| other == part)
            && (is_note || !ours.contains(part))
        {
            theirs.remove(at);
        }
    }
    theirs.reverse();
    for (ours, theirs) in ours.iter().zip(&theirs) {
        if ours != theirs {
            return Ok(Some(format!("ours {}\n      LLVM {}", clip(ours, theirs), clip(theirs, ours))));
        }
    }
    Ok(match ours.len().cmp(&theirs.len()) {
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Less => Some(format!("LLVM has more: {}", clip(&theirs[ours.len()], &ours[0]))),
        std::cmp::Ordering::Greater => Some(format!("we have more: {}", clip(&ours[theirs.len()], &ours[0]))),
    })
}

/// Takes off what LLVM puts behind the code of a module, so that no prefetched byte is a stale instruction: `s_code_end`,
/// on some processors `s_nop 0`, up to and beyond the next 64 bytes, to which the section is aligned for it.
fn strip_code_end(ours: &[Part], theirs: &mut [Part]) {
    const PADDING: [&str; 2] = ["00009fbf", "000080bf"];
    let own = |name: &str| ours.iter().find(|part| part.0 == name);
    let (Some(head), Some(code)) = (own("section .text"), own("data of .text")) else { return };
    let Some(theirs_code) = theirs.iter().position(|part| part.0 == code.0) else { return };
    let Some(rest) = theirs[theirs_code].1.strip_prefix(&code.1) else { return };
    let words = (0..rest.len()).step_by(8).map(|at| rest.get(at..at + 8).unwrap_or_default());
    if rest.is_empty() || !words.clone().all(|word| PADDING.contains(&word)) {
        return;
    }
    theirs[theirs_code] = code.clone();
    let aligned = head.1.rsplit_once(" align ").map(|(before, _)| format!("{before} align 64 entry 0"));
    if let Some(theirs_head) =
        theirs.iter_mut().find(|part| part.0 == head.0 && Some(&part.1) == aligned.as_ref())
    {
        *theirs_head = head.clone();
    }
}

/// A part, from a little before it differs from `other`.
fn clip(part: &Part, other: &Part) -> String {
    let same = part.1.bytes().zip(other.1.bytes()).take_while(|(one, other)| one == other).count();
    let start = same.saturating_sub(32) / 8 * 8;
    let text: String = part.1.chars().skip(start).take(160).collect();
    format!("{} from {:#x} (of {:#x}): {text}", part.0, start / 2, part.1.len() / 2)
}

/// All that is compared of an object, in its order.
fn parts(elf: &[u8]) -> Result<Vec<Part>> {
    let file = ElfFile64::<Endianness>::parse(elf)?;
    let endian = file.endian();
    let mut parts = Vec::new();
    let header = file.elf_header();
    parts.push(("header flags".to_owned(), format!("{:#x}", header.e_flags(endian))));
    for section in file.sections() {
        let head = section.elf_section_header();
        let name = section.name()?;
        let (kind, flags) = (head.sh_type(endian), head.sh_flags(endian).0);
        // What is in the tables is compared by names below.
        if [SHT_STRTAB, SHT_SYMTAB, SHT_RELA].contains(&kind) {
            continue;
        }
        let (align, entry) = (head.sh_addralign(endian), head.sh_entsize(endian));
        parts.push((
            format!("section {name}"),
            format!("type {kind} flags {flags:#x} align {align} entry {entry}"),
        ));
        if kind == SHT_NOTE {
            if let Some(mut notes) = head.notes(endian, elf)? {
                while let Some(note) = notes.next()? {
                    parts.push((format!("note {}", note.n_type(endian)), super::hex(note.desc())));
                }
            }
        } else {
            parts.push((format!("data of {name}"), super::hex(section.data()?)));
        }
        for (offset, relocation) in section.relocations() {
            let symbol = match relocation.target() {
                object::RelocationTarget::Symbol(index) => {
                    let symbol = file.symbol_by_index(index)?;
                    let name = symbol.name().unwrap_or_default();
                    let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
                    match section.filter(|_| name.is_empty()) {
                        Some(section) => section.name().unwrap_or_default().to_owned(),
                        None => name.to_owned(),
                    }
                }
                other => format!("{other:?}"),
            };
            parts.push((
                format!("relocation of {name}"),
                format!("{offset:#x} {symbol} {:?} {:#x}", relocation.flags(), relocation.addend()),
            ));
        }
    }
    for symbol in file.symbols() {
        let raw = symbol.elf_symbol();
        // Those are there for relocations, which name the section itself above.
        if symbol.kind() == object::SymbolKind::Section {
            continue;
        }
        let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
        let place = match section.as_ref().map(|section| section.name()) {
            Some(name) => name?.to_owned(),
            None => format!("index {:#x}", raw.st_shndx(endian)),
        };
        parts.push((
            format!("symbol {}", symbol.name()?),
            format!(
                "{:#x} size {:#x} info {:#x} other {:#x} in {place}",
                symbol.address(),
                symbol.size(),
                raw.st_info(),
                raw.st_other()
            ),
        ));
    }
    Ok(parts)
}
