//! The command line, as the project's interfaces list it.

use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::Resettable;
use clap::{ArgMatches, Args as ClapArgs, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use wavemark_budget::parse_size;
use wavemark_driver::assembly::{AssemblyOptions, parse_define};
use wavemark_driver::input::Lang;
use wavemark_target::{Target, TargetId};

/// Compiles, runs and checks asynchronous AMD GPU kernels without a GPU.
#[derive(Parser)]
#[command(name = "wavemark", version, after_help = EXIT_STATUSES)]
pub struct Args {
    /// The memory that the command may use, such as 512MiB; left out: 8GiB, or what the host leaves
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size)]
    pub max_memory: Option<usize>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_STATUSES: &str = "\
Exit status: 0 clean and as expected; 1 findings of severity error, or an output that differs; \
2 unusable input or usage; 3 something is not modelled, or a requested check did not happen; 4 internal error.";

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    /// Run a kernel with every check on and compare what the launch file expects
    #[command(
        after_help = "Examples:\n  wavemark run kernel.s --launch launch.toml --out results\n  wavemark run tests/ --format junit"
    )]
    Run(Deferred<RunArgs>),
    /// Check a kernel statically and, with a launch, over several schedules
    #[command(
        after_help = "Examples:\n  wavemark check kernel.hsaco --launch launch.toml --schedules 16\n  wavemark check pipelined.py"
    )]
    Check(Deferred<CheckArgs>),
    /// Check kernels under many seeds, completion modes and schedules, on all cores, and merge what is found
    #[command(
        after_help = "Example: wavemark campaign kernels/ --seeds 1000 --completions all --schedules 50 --journal campaign.jsonl"
    )]
    Campaign(Deferred<CampaignArgs>),
    /// Run a kernel's LLVM IR and the code object made of it, and say where their outputs differ
    #[command(after_help = "Example: wavemark compare kernel.ll kernel.hsaco --launch launch.toml")]
    Compare(Deferred<CompareArgs>),
    /// Build an input as far as the named stage
    #[command(
        after_help = "Examples:\n  wavemark compile kernel.s --emit hsaco -o kernel.hsaco\n  wavemark compile module.py --emit tile --diagram pipeline.svg"
    )]
    Compile(Deferred<CompileArgs>),
    /// Assemble
    #[command(
        after_help = "Examples:\n  wavemark asm kernel.s --target gfx1250 -o kernel.o\n  echo 's_nop 0' | wavemark asm --lines --target gfx950"
    )]
    Asm(Deferred<AsmArgs>),
    /// Disassemble a code object to text that `asm` takes back
    #[command(
        after_help = "Examples:\n  wavemark dis kernel.hsaco --addresses --encoding\n  echo 000080bf | wavemark dis --lines --target gfx950"
    )]
    Dis(Deferred<DisArgs>),
    /// Print a code object's header, notes, metadata, kernel descriptors, symbols, relocations
    #[command(
        after_help = "Examples:\n  wavemark inspect kernel.hsaco\n  wavemark inspect 'file:///opt/app#offset=0x2000&size=3000' --format json"
    )]
    Inspect(Deferred<InspectArgs>),
    /// Link relocatable code objects into a loadable one
    #[command(after_help = "Example: wavemark link a.o b.o -o kernel.hsaco")]
    Link(Deferred<LinkArgs>),
    /// Put code objects into an offload bundle
    #[command(
        after_help = "Example: wavemark bundle gfx950.hsaco gfx1250.hsaco -o kernels.hipfb --compress zstd"
    )]
    Bundle(Deferred<BundleArgs>),
    /// List or extract the code objects of an offload bundle
    #[command(after_help = "Example: wavemark unbundle kernels.hipfb --target gfx1250 -o kernel.hsaco")]
    Unbundle(Deferred<UnbundleArgs>),
    /// Explore all executions of litmus tests
    #[command(
        after_help = "Examples:\n  wavemark litmus mp.litmus --svg mp.svg\n  wavemark litmus gen -o tests"
    )]
    Litmus(LitmusArgs),
    /// Print what is known and supported of each processor
    #[command(
        after_help = "Examples:\n  wavemark targets gfx942:xnack+\n  wavemark targets --explain gfx1250"
    )]
    Targets(Deferred<TargetsArgs>),
    /// Print what a shell completes
    #[command(
        after_help = "Example: wavemark completions bash > ~/.local/share/bash-completion/completions/wavemark"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write manual pages, one for each command
    #[command(after_help = "Example: wavemark man ~/.local/share/man/man1")]
    Man {
        /// The folder that they go to
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Arguments that clap is told of only when their command is given: to tell it of all takes a quarter of a millisecond.
/// Not for a command with commands of its own, which its help would lose.
pub struct Deferred<T>(T);

impl<T> Deref for Deferred<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ClapArgs> ClapArgs for Deferred<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.defer(|command| named_as_before(command, T::augment_args))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command.defer(|command| named_as_before(command, T::augment_args_for_update))
    }
}

/// The command with its arguments, whose own description does not take the place of the command's.
fn named_as_before(command: clap::Command, augment: fn(clap::Command) -> clap::Command) -> clap::Command {
    let (about, long) = (command.get_about().cloned(), command.get_long_about().cloned());
    augment(command).about(Resettable::from(about)).long_about(Resettable::from(long))
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Deferred)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// An input and its target.
#[derive(ClapArgs, Clone)]
pub struct InputArgs {
    /// The input; `-` for standard input
    #[arg(value_name = "INPUT")]
    pub input: PathBuf,
    /// What the input is, where its name does not say
    #[arg(long, value_enum)]
    pub lang: Option<LangArg>,
    #[command(flatten)]
    pub target: TargetArgs,
}

/// The target and its features.
#[derive(ClapArgs, Clone)]
pub struct TargetArgs {
    /// The target, such as gfx1250 or gfx942:xnack+; must agree with what the input says
    #[arg(long, value_name = "TARGET-ID", value_parser = parse_target)]
    pub target: Option<TargetId>,
    /// Features in LLVM's spelling, such as +wavefrontsize64,-real-true16
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub features: Option<String>,
}

/// What an assembly text finds around it.
#[derive(ClapArgs, Clone)]
pub struct AssemblyArgs {
    /// A folder that .include and .incbin read from, besides the input's own; may be repeated
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// A symbol of the assembly text, as a number; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_define)]
    pub defsym: Vec<(String, i64)>,
}

impl AssemblyArgs {
    /// As the driver takes it.
    pub fn options(&self) -> AssemblyOptions {
        AssemblyOptions { include: self.include.clone(), defines: self.defsym.clone() }
    }
}

/// A target ID, alone or with a triple before it.
fn parse_target(text: &str) -> Result<TargetId, String> {
    text.parse::<Target>().map(|target| target.id).map_err(|error| error.to_string())
}

/// A positive number of seconds.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .filter(|seconds| !seconds.is_zero())
        .ok_or_else(|| "a positive number of seconds is expected".to_owned())
}

/// How to run a kernel.
#[derive(ClapArgs, Clone)]
pub struct ExecutionArgs {
    /// The launch file
    #[arg(long, value_name = "L.toml")]
    pub launch: Option<PathBuf>,
    /// The kernel to run, where the module has several
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Which checks: full, off, or a list of registers, lds, global, barriers, waits
    #[arg(long, value_name = "full|off|LIST", default_value = "full")]
    pub check: String,
    /// When an asynchronous operation lands
    #[arg(long, value_enum, default_value = "late")]
    pub completion: CompletionArg,
    /// Of LLVM IR: when lanes that have parted are together again, where its rules leave that open
    #[arg(long, value_enum, default_value = "maximal")]
    pub converge: ConvergeArg,
    /// Seed of the scheduling, of random completion and of random data
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Threads of the simulation; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub threads: Option<u32>,
    /// Instructions a wave may execute before it is the finding `step-limit`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,
    /// Instructions that all waves of a launch may execute before it is the finding `step-limit`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_total_steps: Option<u64>,
    /// Seconds that the command may take before it is the finding `step-limit`, with what was done until then
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    pub timeout: Duration,
    /// End the run at the first error after which values mean nothing; so it is on a terminal if nothing is said
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub stop_on_error: Option<bool>,
    /// A reading of an open question, such as xcnt=strict; may be repeated
    #[arg(long, value_name = "NAME=READING")]
    pub model: Vec<String>,
    /// Run the schedule that this file holds (`check --save-schedule`), with its seed and completion mode
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "completion"])]
    pub schedule: Option<PathBuf>,
    /// Write output buffers as .npy files into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write a Chrome/Perfetto trace of waves, asynchronous operations, waits, barriers
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The form of the report
    #[arg(long, value_enum, default_value = "text")]
    pub format: FormatArg,
    /// Write the report as an HTML page as well
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// A folder below which source lines of a code object may be read; may be repeated. Left out: the current one. The
    /// input's own folder always is one
    #[arg(long, value_name = "DIR")]
    pub source_root: Vec<PathBuf>,
    /// What counts as an error besides errors: the exit status is 1
    #[arg(long, value_enum, value_name = "WHAT")]
    pub deny: Option<DenyArg>,
    /// Findings that are accepted, each with a reason: a TOML file, see the guide
    #[arg(long, value_name = "FILE.toml")]
    pub baseline: Option<PathBuf>,
    /// Where this version's guide is published, for the links of SARIF to the pages of rules
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    pub guide_url: Option<String>,
    /// Print findings only, no summary
    #[arg(long, short)]
    pub quiet: bool,
}

impl ExecutionArgs {
    /// The folders of sources, besides the input's own.
    pub fn source_roots(&self) -> Vec<PathBuf> {
        if self.source_root.is_empty() { vec![PathBuf::from(".")] } else { self.source_root.clone() }
    }
}

/// What to run or check, and its target.
#[derive(ClapArgs, Clone)]
pub struct InputsArgs {
    /// Inputs, or folders that hold a launch.toml beside an input; `-` for standard input
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// What the inputs are, where their names do not say
    #[arg(long, value_enum)]
    pub lang: Option<LangArg>,
    #[command(flatten)]
    pub target: TargetArgs,
}

/// `run`
#[derive(ClapArgs)]
pub struct RunArgs {
    #[command(flatten)]
    pub input: InputsArgs,
    #[command(flatten)]
    pub execution: ExecutionArgs,
    #[command(flatten)]
    pub assembly: AssemblyArgs,
}

/// `check`
#[derive(ClapArgs)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: InputsArgs,
    #[command(flatten)]
    pub execution: ExecutionArgs,
    #[command(flatten)]
    pub assembly: AssemblyArgs,
    /// Schedules to run
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub schedules: u32,
    /// Write the first schedule that fails, made as small as it can be, into this file; `--schedule` runs it again
    #[arg(long, value_name = "FILE")]
    pub save_schedule: Option<PathBuf>,
    /// Run all schedules of a small kernel, the least surprising first, as far as a bound that is printed
    #[arg(long, conflicts_with_all = ["schedules", "schedule"])]
    pub exhaustive: bool,
}

/// `campaign`
#[derive(ClapArgs)]
pub struct CampaignArgs {
    /// Folders that hold launch files beside inputs, or captured launches; and inputs that need no launch file
    #[arg(value_name = "FOLDER", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Seeds of each kernel, from 0 on
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seeds: u64,
    /// When asynchronous operations land: `all`, or a list
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    pub completions: Vec<CampaignCompletionArg>,
    /// Schedules of each run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub schedules: u32,
    /// Runs side by side; left out: as many as there are cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// Run on the Ray cluster at this address (`auto`: the one of this machine), by the Python package
    #[arg(long, value_name = "ADDRESS", conflicts_with = "jobs")]
    pub ray: Option<String>,
    /// Keep what each run came to in this file; what is in it already is not run again
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,
    /// Which checks: full, off, or a list of registers, lds, global, barriers, waits
    #[arg(long, value_name = "full|off|LIST", default_value = "full")]
    pub check: String,
    /// A reading of an open question, such as xcnt=strict; may be repeated
    #[arg(long, value_name = "NAME=READING")]
    pub model: Vec<String>,
    /// Instructions a wave may execute before it is the finding `step-limit`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,
    /// Seconds that the campaign may take; what is left then is told
    #[arg(long, value_name = "SECONDS", default_value = "86400", value_parser = parse_seconds)]
    pub timeout: Duration,
    /// The form of the report
    #[arg(long, value_enum, default_value = "text")]
    pub format: CampaignFormatArg,
}

/// `compare`
#[derive(ClapArgs)]
pub struct CompareArgs {
    /// The LLVM IR
    #[arg(value_name = "IR")]
    pub ir: PathBuf,
    /// What a compiler made of it: a code object, a bundle, assembly
    #[arg(value_name = "CODE")]
    pub code: PathBuf,
    #[command(flatten)]
    pub target: TargetArgs,
    /// The launch file
    #[arg(long, value_name = "L.toml")]
    pub launch: PathBuf,
    /// The kernel to run, where the module has several
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Seed of the scheduling, of random completion and of random data
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Schedules to run under each completion mode
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub schedules: u32,
    /// Instructions a wave may execute
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,
    /// Seconds that the command may take
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    pub timeout: Duration,
    /// The form of the report
    #[arg(long, value_enum, default_value = "text")]
    pub format: LitmusFormatArg,
}

/// `compile`
#[derive(ClapArgs)]
pub struct CompileArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub assembly: AssemblyArgs,
    /// The last stage
    #[arg(long, value_enum)]
    pub emit: EmitArg,
    /// Where to write it; standard output when left out
    #[arg(short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Of a TVMScript module: print what the pipelining pass made, before index arithmetic is simplified
    #[arg(long)]
    pub before_simplify: bool,
    /// Of a TVMScript module: refuse what TVM refuses although there is a right program (a statement that reads what two
    /// asynchronous stages write)
    #[arg(long)]
    pub tvm_compatible: bool,
    /// Of a TVMScript module: the dialect to print; the input's when left out
    #[arg(long, value_enum)]
    pub dialect: Option<DialectArg>,
    /// Of a TVMScript module: draw its first pipeline
    #[arg(long, value_name = "OUT.svg")]
    pub diagram: Option<PathBuf>,
    /// Of LLVM IR: let waits for copies leave as many as is proven to be enough
    #[arg(long)]
    pub tighten_waits: bool,
}

/// `asm`
#[derive(ClapArgs)]
pub struct AsmArgs {
    /// The assembly; `-` for standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    pub input: PathBuf,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub assembly: AssemblyArgs,
    /// One source line in, one line out: `OK<TAB>hex` or `ERR<TAB>column: message`
    #[arg(long, conflicts_with_all = ["output", "include", "defsym"])]
    pub lines: bool,
    /// Where to write the object file
    #[arg(short, value_name = "OUT.o", required_unless_present = "lines")]
    pub output: Option<PathBuf>,
}

/// `dis`
#[derive(ClapArgs)]
pub struct DisArgs {
    /// The code object, or with --lines the text; `-` for standard input
    #[arg(value_name = "INPUT", default_value = "-")]
    pub input: PathBuf,
    #[command(flatten)]
    pub target: TargetArgs,
    /// One hex string in, one line out: `OK<TAB>text` or `ERR<TAB>message`
    #[arg(long, requires = "target")]
    pub lines: bool,
    /// Each instruction's address in a comment
    #[arg(long, conflicts_with = "lines")]
    pub addresses: bool,
    /// Each instruction's dwords in a comment
    #[arg(long, conflicts_with = "lines")]
    pub encoding: bool,
    /// Where to write the text; standard output when left out
    #[arg(short, value_name = "OUT.s", conflicts_with = "lines")]
    pub output: Option<PathBuf>,
}

/// `inspect`
#[derive(ClapArgs)]
pub struct InspectArgs {
    /// The code object, bundle or core file, or the URI of a loaded code object; `-` for standard input
    #[arg(value_name = "CODE-OBJECT")]
    pub input: PathBuf,
    /// Show the debug sections instead: units, lines, frames
    #[arg(long, conflicts_with = "format")]
    pub dwarf: bool,
    /// Print text or JSON
    #[arg(long, value_enum, default_value = "text")]
    pub format: TextOrJson,
    /// The target it must be for; of a bundle, the entries to show
    #[arg(long, value_name = "TARGET-ID", value_parser = parse_target)]
    pub target: Option<TargetId>,
}

/// `link`
#[derive(ClapArgs)]
pub struct LinkArgs {
    /// Relocatable code objects
    #[arg(value_name = "A.o", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Where to write the loadable code object
    #[arg(short, value_name = "OUT.hsaco")]
    pub output: PathBuf,
}

/// `bundle`
#[derive(ClapArgs)]
pub struct BundleArgs {
    /// Code objects of different targets
    #[arg(value_name = "CODE-OBJECT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Where to write the bundle
    #[arg(short, value_name = "OUT")]
    pub output: PathBuf,
    /// The offload kind of the entries
    #[arg(long, value_enum, default_value = "hipv4")]
    pub kind: KindArg,
    /// Compress the bundle
    #[arg(long, value_enum, value_name = "METHOD")]
    pub compress: Option<CompressArg>,
    /// The version of the compressed form
    #[arg(long, value_name = "N", default_value_t = 3, requires = "compress", value_parser = clap::value_parser!(u8).range(2..=3))]
    pub format_version: u8,
}

/// `unbundle`
#[derive(ClapArgs)]
pub struct UnbundleArgs {
    /// The bundle; `-` for standard input
    #[arg(value_name = "BUNDLE")]
    pub input: PathBuf,
    /// Extract the entry that runs on this target; left out: list the entries
    #[arg(long, value_name = "TARGET-ID", value_parser = parse_target, requires = "output")]
    pub target: Option<TargetId>,
    /// Extract the entry of this ID
    #[arg(long, value_name = "ID", requires = "output", conflicts_with = "target")]
    pub entry: Option<String>,
    /// Where to write the entry
    #[arg(short, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

/// `litmus`
#[derive(ClapArgs)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct LitmusArgs {
    /// The tests; `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The form of the report
    #[arg(long, value_enum, default_value = "text")]
    pub format: LitmusFormatArg,
    /// Draw the witness of one test in Graphviz's language
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Draw the witness of one test as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// States after which a test is left; the report says so, and the exit status is 3
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    pub max_states: usize,
    /// What to do instead.
    #[command(subcommand)]
    pub command: Option<LitmusCommand>,
}

/// `litmus …`
#[derive(Subcommand)]
pub enum LitmusCommand {
    /// Write tests from cycles of relations, in several orderings and scopes
    Gen {
        /// The longest cycles
        #[arg(long, value_name = "N", default_value_t = 6, value_parser = parse_edges)]
        edges: usize,
        /// At most so many tests
        #[arg(long, value_name = "N", default_value_t = 1000)]
        count: usize,
        /// The folder that they go to
        #[arg(short, value_name = "DIR")]
        out: PathBuf,
    },
}

/// The form of a report about litmus tests.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LitmusFormatArg {
    /// For reading.
    Text,
    /// One JSON object for each test, on a line of its own.
    Json,
}

/// A number of edges that is not too many to enumerate.
fn parse_edges(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (4..=7).contains(number));
    number.ok_or_else(|| "a number from 4 to 7 is expected".to_owned())
}

/// `targets`
#[derive(ClapArgs)]
pub struct TargetsArgs {
    /// One target; all processors when left out
    #[arg(value_name = "TARGET-ID", value_parser = parse_target)]
    pub target: Option<TargetId>,
    /// Every fact of the target, with where it is from
    #[arg(long, value_name = "TARGET-ID", value_parser = parse_target, num_args = 0..=1)]
    pub explain: Option<Option<TargetId>>,
}

/// `--compress`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompressArg {
    /// zlib
    Zlib,
    /// Zstandard
    Zstd,
}

/// `--kind`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// HIP, code object V2 and V3
    Hip,
    /// HIP, code object V4 and later
    Hipv4,
    /// OpenMP
    Openmp,
}

/// `--lang`
#[derive(Clone, Copy, ValueEnum)]
pub enum LangArg {
    /// TVMScript
    Py,
    /// LLVM IR
    Ll,
    /// AMDGPU assembly
    Asm,
    /// A code object or offload bundle
    Obj,
    /// A litmus test
    Litmus,
}

impl From<LangArg> for Lang {
    fn from(lang: LangArg) -> Lang {
        match lang {
            LangArg::Py => Lang::Py,
            LangArg::Ll => Lang::Ll,
            LangArg::Asm => Lang::Asm,
            LangArg::Obj => Lang::Obj,
            LangArg::Litmus => Lang::Litmus,
        }
    }
}

/// `--completion`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompletionArg {
    /// At the last moment that a correct program allows
    Late,
    /// At once
    Early,
    /// In between, by seed
    Random,
}

/// `--converge`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConvergeArg {
    /// As soon as they can be, in lockstep
    Maximal,
    /// Where something concerns the whole wave; elsewhere each lane goes alone
    Adversarial,
}

/// `--completions` of a campaign
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CampaignCompletionArg {
    /// One after the other
    All,
    /// At the last moment that a correct program allows
    Late,
    /// At once
    Early,
    /// In between, by seed
    Random,
}

/// `--format` of a campaign
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CampaignFormatArg {
    /// For people
    Text,
    /// One object
    Json,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// For people
    Text,
    /// One JSON object for each input, a line each
    Json,
    /// A SARIF 2.1.0 log
    Sarif,
    /// JUnit's XML
    Junit,
}

/// `--deny`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DenyArg {
    /// Warnings
    Warnings,
    /// Warnings and advice
    Advice,
}

/// `--format` of what has no findings
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TextOrJson {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// `--dialect`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DialectArg {
    /// TVM up to 0.22: `tir`, `T.block`
    Old,
    /// TVM from 0.25: `tirx`, `T.sblock`
    New,
}

/// `--emit`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EmitArg {
    /// The tile layer's program
    Tile,
    /// LLVM IR
    Ll,
    /// Assembly
    Asm,
    /// A relocatable code object
    Obj,
    /// A loadable code object
    Hsaco,
}

fn parse_url(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    if !host.is_empty() && host.bytes().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("a URL that begins with https:// or http:// is expected".to_owned())
    }
}
