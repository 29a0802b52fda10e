"""JAX runs on the processor although there is an NVIDIA GPU.

Detects:      a JAX whose default backend is the CPU beside a GPU whose driver works: no CUDA plugin, one of another
              version than jaxlib, or one that says that a library is too old.
Why it bites: JAX prints one line and goes on; programs are many times slower.
Blind spots:  JAX_PLATFORMS=cpu is a wish and not judged. On native Windows there is no JAX for GPUs.
Knowledge:    resources/knowledge/frameworks/jax.toml, import_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus, cuda_works, driver_of, hides_all_gpus, names
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, JaxFacts, MachineFacts, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.quotation import quotation
from checks.facts.versions import release
from checks.knowledge.errors.import_errors import recognise
from checks.knowledge.frameworks.jax import fitting_plugin

CAUSE = "jax-falls-back-to-cpu"
NONE = "–"


@check(CAUSE)
def jax_falls_back_to_cpu(
    jax: JaxFacts, machine: MachineFacts, environment: EnvironmentVariables | None, torch: TorchFacts | None
) -> Iterator[Finding]:
    """One finding for the interpreter."""
    gpus = cuda_gpus(machine)
    if not gpus or cuda_works(machine) is False or jax.imported is False:
        return
    if jax.default_backend is None:
        raise Unread("jax_backend", jax.unread.get("devices", ""))
    wish = environment.values.get("JAX_PLATFORMS", "") if environment else ""
    if jax.default_backend != "cpu" or wish.strip().lower() == "cpu" or hides_all_gpus(environment):
        return
    is_windows = bool(machine.os and machine.os.system == "Windows")
    cuda = tuple(plugin for plugin in jax.plugins or () if "cuda" in plugin)
    clue = _clue(jax)
    capabilities = tuple(gpu.capability for gpu in gpus if gpu.capability)
    plugin = fitting_plugin(capabilities, driver_of(machine))
    # Without a plugin beside a PyTorch that uses the GPU, JAX most likely came along with another package.
    is_by_the_way = is_windows or (not cuda and torch is not None and bool(torch.cuda_available))
    is_certain = bool(clue) or (jax.plugins is not None and (not cuda or _is_other_version(cuda, jax)))
    yield Finding(
        severity=Severity.NOTE if is_by_the_way else Severity.WARNING,
        confidence=0.92 if is_certain else 0.75,
        evidence=(
            Evidence("framework", f"jax {jax.version or ''}".strip(), jax.origin),
            Evidence("gpu", names(gpus), gpus[0].origin),
            Evidence("jaxlib_version", jax.jaxlib_version or NONE, jax.origin),
            Evidence("jax_plugins", ", ".join(cuda) or NONE, jax.origin),
            *((Evidence("clue", quotation(clue), jax.origin),) if clue else ()),
        ),
        values=({"jax_package": f"jax[{plugin.extra}]"} if plugin else {})
        | {"jax_plugins": tuple(cuda)}
        | {"jaxlib_version": (jax.jaxlib_version,) if jax.jaxlib_version else ()},
        remedies=("use-jax-in-wsl",) if is_windows else ("install-jax-with-cuda", "make-fresh-environment"),
    )


def _is_other_version(plugins: tuple[str, ...], jax: JaxFacts) -> bool:
    """Whether a CUDA plugin ("jax-cuda12-plugin 0.8.0") is not of jaxlib's release."""
    wanted = release(jax.jaxlib_version or "")[:3]
    return bool(wanted) and any(release(plugin.rpartition(" ")[2])[:3] != wanted for plugin in plugins)


def _clue(jax: JaxFacts) -> str:
    """What JAX itself says about it."""
    for warning in jax.warnings or ():
        found = recognise(warning)
        if found is not None and found.row.cause in {CAUSE, "cuda-library-missing", "cudnn-version-mismatch"}:
            return found.line
    return ""
