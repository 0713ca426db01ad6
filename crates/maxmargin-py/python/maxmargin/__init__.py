"""Max-margin structured output learning with a proof of optimality for every model.

>>> from maxmargin import MulticlassSVM
>>> svm = MulticlassSVM(C=1.0).fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
>>> svm.predict([[0.2], [2.9]]).tolist()
['low', 'high']
"""

from ._engine import Matrix, Model, __version__
from ._sklearn import ConvergenceWarning
from .certificate import Certificate
from .chain import ChainSVM
from .dependency import DependencyParser
from .hierarchy import HierarchicalSVM
from .landmarks import LandmarkSVM
from .matching import MatchingSVM
from .multiclass import MulticlassSVM
from .multilabel import MultilabelSVM
from .segmentation import SegmentationSVM
from .structure import Mix, Structure, StructuredSVM, check_structure
from .surrogate import Surrogate

__all__ = [
    "Certificate",
    "ChainSVM",
    "ConvergenceWarning",
    "DependencyParser",
    "HierarchicalSVM",
    "LandmarkSVM",
    "MatchingSVM",
    "Matrix",
    "Mix",
    "Model",
    "MulticlassSVM",
    "MultilabelSVM",
    "SegmentationSVM",
    "Structure",
    "StructuredSVM",
    "Surrogate",
    "__version__",
    "check_structure",
]
