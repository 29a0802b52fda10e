"""The vocabulary that everything else is written in: facts, findings, versions, and where our own files lie.

The types of the facts are named here once; base.py says what they share.
"""

from checks.facts.base import Fact
from checks.facts.errors import ErrorText
from checks.facts.frameworks import (
    CoreMlToolsFacts,
    FrameworkDevice,
    FrameworkFacts,
    Frameworks,
    ImportTry,
    JaxFacts,
    KernelLaunch,
    LiteRtFacts,
    OnnxRuntimeFacts,
    OpenVinoFacts,
    ProviderStart,
    TensorFlowFacts,
    TensorRtFacts,
    TorchFacts,
)
from checks.facts.history import Change, ChangeKind, History
from checks.facts.installed import (
    ChangedFile,
    FileState,
    ForeignModule,
    InstalledFiles,
    InstalledPackage,
    InstalledTwice,
    Leftover,
    SharedModule,
)
from checks.facts.machine import (
    Accelerator,
    AmdFacts,
    AmdNode,
    AppleFacts,
    CpuFacts,
    DeviceNode,
    EccCounts,
    Gpu,
    GpuEvent,
    GpuProcess,
    Gpus,
    IntelFacts,
    JetsonFacts,
    LibraryFile,
    LogEntry,
    MachineFacts,
    MemoryFacts,
    MigInstance,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    PciLink,
    RowRemaps,
    SystemLog,
    XidEvent,
)
from checks.facts.measured import ArrayDifference, Measured
from checks.facts.measurements import (
    Emulated,
    ErrorShape,
    Experiment,
    Flip,
    Health,
    HealthSample,
    LostOperand,
    Measurement,
    Measurements,
    ModelMeasured,
    NodeApart,
    NumbersLost,
    Portrait,
    Precision,
    Reordered,
    Repeat,
    WrongBits,
)
from checks.facts.models.files import (
    Binding,
    ExportRun,
    ModelComparison,
    ModelDifference,
    ModelFacts,
    ModelFiles,
    ModelNeeds,
    ModelRun,
    NamedClass,
    NamedModel,
    NeededFile,
    NodeDifference,
    NotFiniteWeight,
    OperatorUse,
    OutputDifference,
    ProviderShare,
    TensorDifference,
    TensorSpec,
    UnmetNeed,
    WeightValues,
)
from checks.facts.models.graphs import (
    CutNode,
    LayerLoss,
    MinimalGraph,
    QuantisationLoss,
    TriedRemedy,
    WeightLoss,
)
from checks.facts.programs.local import LocalProgram
from checks.facts.programs.served import ServedAnswer, ServedAspect, ServedFacts, ServedPair, ServedParting, ServedTrial
from checks.facts.programs.watched import (
    DeviceUse,
    Frame,
    GpuMoment,
    GpuUse,
    LoadedModule,
    ProgramEnd,
    ProgramRun,
    ProgramRuns,
    PythonProcess,
    Raised,
)
from checks.facts.python import EnvironmentVariables, InterpreterFacts, Package, StoragePlace
from checks.facts.remedies.mendings import Mending, MendingResult, SettingPlace
from checks.facts.remedies.proofs import PackageChange, Proof, ProofResult
from checks.facts.remedies.resolutions import Resolution, ResolutionResult
from checks.facts.runs import ProbeRun, ProbeRuns, StageRun
from checks.facts.search import HidingFile, SearchedFacts, SearchedFolder, SearchPlace, StrayScript
from checks.facts.texts import AskedQuestion, ReportedDifference, ReportedNumbers, SentFile, Symptom
from checks.facts.whole import Facts, OtherMachine
