"""Which releases of a package have a name: the tables of names, and how soft requirements are read."""

import pytest

from checks.knowledge.errors.soft_requirements import wishes_in
from checks.knowledge.packages.import_packages import ImportPackagesTable
from checks.knowledge.packages.moved_names import MovedNames
from checks.knowledge.packages.names import Names, releases_with


@pytest.mark.parametrize(
    ("package", "module", "name", "requirement"),
    [
        ("scipy", "scipy.linalg", "tril", "scipy<1.13"),
        ("setuptools", "pkg_resources", "", "setuptools<82.0"),
        ("huggingface-hub", "huggingface_hub", "cached_download", "huggingface-hub<0.26"),
        ("numpy", "numpy", "float_", "numpy<2.0"),
        ("numpy", "numpy", "bool", "numpy<1.24"),
        ("numpy", "numpy", "trapezoid", "numpy>=2.0.2"),
        ("markupsafe", "markupsafe", "soft_unicode", "markupsafe<2.1"),
        ("jinja2", "jinja2", "escape", "jinja2<3.1"),
        ("networkx", "networkx", "from_numpy_matrix", "networkx<3.0"),
        ("ml-dtypes", "ml_dtypes", "float4_e2m1fn", "ml-dtypes>=0.5.4"),
        ("python", "collections", "Mapping", "python<3.10"),
        ("python", "distutils.version", "LooseVersion", "python<3.12"),
        ("torch", "torch._six", "", "torch<2.0"),
        ("moviepy", "moviepy.editor", "VideoFileClip", "moviepy<2.0"),
        ("diffusers", "diffusers", "FluxPipeline", "diffusers>=0.30.3"),
        ("diffusers", "diffusers.models.cross_attention", "CrossAttention", "diffusers>=0.12.1,<0.21"),
        ("keras", "keras.utils.np_utils", "to_categorical", "keras<2.13"),
        ("keras", "keras.layers.advanced_activations", "LeakyReLU", "keras<2.9"),
        ("keras", "keras.ops", "", "keras>=3.0.5"),
        ("keras", "keras.wrappers.scikit_learn", "KerasClassifier", "keras<2.13"),
        ("keras", "keras.wrappers", "", "keras>=3.8.0"),
        ("lightning", "lightning.pytorch.strategies", "DDPFullyShardedStrategy", "lightning<2.0"),
        ("pandas", "pandas.util.testing", "assert_frame_equal", "pandas<2.0"),
        ("torchvision", "torchvision.transforms.functional_tensor", "rgb_to_grayscale", "torchvision<0.17"),
    ],
)
def test_the_releases_that_have_a_name(package: str, module: str, name: str, requirement: str) -> None:
    wanted = releases_with(package, module, name)
    assert wanted is not None
    assert wanted.requirement == requirement


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("scipy.linalg", "solve"),
        ("scipy.nothing", "at_all"),
        ("scipy", "linalg"),
        ("keras", "layers"),
        ("keras.layers", "Dense"),
        ("keras.optimizers", "Adam"),
        ("pandas", "read_csv"),
        ("torchvision", "transforms"),
        ("lightning.pytorch", "Trainer"),
    ],
)
def test_what_stayed_has_no_row(module: str, name: str) -> None:
    assert releases_with(module.partition(".")[0], module, name) is None


def test_a_release_lacks_a_name_from_its_removal_on() -> None:
    wanted = releases_with("scipy", "scipy.linalg", "tril")
    assert wanted is not None
    assert [wanted.lacks(version) for version in ("1.12.0", "1.13.0", "1.14.1", "a vendor's own")] == [
        False,
        True,
        True,
        False,
    ]


def test_the_tables_are_large_and_tell_where_each_row_is_from() -> None:
    names = sum(len(change.names.split()) for package in Names.read().package for change in package.change)
    assert names > 1000
    assert all(row.source.startswith("https://") and (row.first or row.gone) for row in MovedNames.read().row)
    assert len(ImportPackagesTable.read().modules) > 400


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("Please install the `graphviz` package first", ["graphviz"]),
        ("X requires the 🤗 Datasets library but it was not found in your environment.", ["datasets"]),
        (
            "This modeling file requires the following packages that were not found in your environment: einops.",
            ["einops"],
        ),
        ("No package metadata was found for bitsandbytes", ["bitsandbytes"]),
        ("You need to install it: pip install -U scikit-learn", ["scikit-learn"]),
        ("index 3 is out of bounds for axis 0 with size 3", []),
        ("this is required to be a list, please install it", []),
    ],
)
def test_what_a_message_asks_for(message: str, names: list[str]) -> None:
    assert [wish.name for wish in wishes_in(message)][:1] == names
