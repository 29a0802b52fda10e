"""JAX in this interpreter: its parts, the backends that start, and whether their devices compute."""

import os

from .. import kit

DEVICES = []  # grows from stage to stage

PLUGINS = (
    "jax-cuda11-plugin", "jax-cuda12-plugin", "jax-cuda12-pjrt", "jax-cuda13-plugin", "jax-cuda13-pjrt",
    "jax-rocm60-plugin", "jax-rocm60-pjrt", "jax-rocm7-plugin", "jax-rocm7-pjrt", "jax-metal", "libtpu",
    "intel-extension-for-openxla",
)  # fmt: skip


def build(argument):
    """The parts, from their metadata: an import that fails often fails because they do not fit each other."""
    found = kit.installed("jaxlib", *PLUGINS)
    facts = {"plugins": ["%s %s" % (name, version) for name, version in found.items() if name != "jaxlib"]}
    if "jaxlib" in found:
        facts["jaxlib_version"] = found["jaxlib"]
    return facts


def imported(argument):
    """Import JAX for real."""
    # Otherwise the first computation takes most of the memory of each GPU, from whoever else uses it.
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    with kit.Warned() as warned:
        import jax
        import jax.numpy  # what `import jax` leaves for later in some versions, and every program needs
    return kit.import_facts(jax, warned.facts)


def backends(argument):
    """Start the backends; those that did not start leave their reason behind."""
    import jax

    facts, unread = {}, {}
    with kit.Warned() as warned, kit.Captured() as captured:
        try:
            facts["default_backend"] = str(jax.default_backend())
            DEVICES.extend(_device(device) for device in jax.devices())
            if facts["default_backend"] != "cpu":
                DEVICES.extend(_device(device) for device in jax.devices("cpu"))
        except Exception as error:
            unread["devices"] = str(error)
    reasons = getattr(getattr(jax, "_src", None), "xla_bridge", None)
    reasons = getattr(reasons, "_backend_errors", {})
    reported = ["%s: %s" % (platform, reason) for platform, reason in reasons.items()]
    printed = [captured.text] if captured.text else []
    facts.update(_cuda_versions(unread))
    return dict(facts, devices=DEVICES, unread=unread, warnings=warned.facts + reported + printed)


def _cuda_versions(unread):
    try:
        from jax._src.lib import cuda_versions
    except ImportError:
        return {}
    if cuda_versions is None:
        return {"cuda_version": "", "cudnn_version": ""}
    facts = {}
    try:
        number = cuda_versions.cuda_runtime_build_version()  # 12080 is 12.8
        facts["cuda_version"] = "%d.%d" % (number // 1000, number % 1000 // 10)
        facts["cudnn_version"] = kit.cudnn_version(cuda_versions.cudnn_get_version())
    except Exception as error:
        unread["cudnn_version"] = str(error)
    return facts


def _device(device):
    fact = {"device": "%s:%d" % (device.platform, device.id), "name": str(device.device_kind)}
    capability = getattr(device, "compute_capability", None)
    if capability:
        fact["gfx_target" if str(capability).startswith("gfx") else "compute_capability"] = str(capability)
    try:
        statistics = device.memory_stats() or {}
    except Exception as error:
        return dict(fact, unread={"memory_total": str(error)})
    if "bytes_limit" in statistics:
        fact["memory_total"] = int(statistics["bytes_limit"])
    return fact


def kernels(argument):
    """A small computation on each device, reported one by one."""
    import jax
    import jax.numpy as jnp

    def work(platform, number):
        device = next(candidate for candidate in jax.devices(platform) if candidate.id == number)
        left = jax.device_put(jnp.asarray([[1.0, 2.0], [3.0, 4.0]], dtype=jnp.float32), device)
        return float((jnp.matmul(left, left) * 2.0 + 1.0).sum())

    for fact in DEVICES:
        platform, number = fact["device"].split(":")
        with kit.Captured():
            fact["kernel"] = kit.attempt(
                lambda platform=platform, number=int(number): work(platform, number), lambda result: result == 112.0
            )
        yield {"devices": DEVICES}


STAGES = (build, imported, backends, kernels, kit.libraries)
ESSENTIAL = ("imported",)
