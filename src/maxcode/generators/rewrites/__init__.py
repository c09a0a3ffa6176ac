"""The catalogue of rewrites that the offline generator chooses from."""

from maxcode.generators.rewrites.arithmetic import (
    BinaryPower,
    ConstantDivision,
    DelayedRoot,
    LongDoubleToDouble,
    ModuloToSubtraction,
    Popcount,
    PowerToProduct,
    TrialDivision,
)
from maxcode.generators.rewrites.base import Rewrite
from maxcode.generators.rewrites.containers import (
    DenseMap,
    DenseSet,
    EraseFrontToDeque,
    FlatGrid,
    HashedContainers,
    HashReserve,
    ListToVector,
    Reserve,
    VectorBoolToChar,
    VectorFlagsToBits,
    VectorFlagsToBytes,
)
from maxcode.generators.rewrites.cpp import CppSource
from maxcode.generators.rewrites.functions import (
    CacheResults,
    ConstReference,
    FastMathPragma,
    FunctionToTemplate,
    Memoise,
    MoveLastUse,
    RangeReference,
    TargetPragma,
    UnrollPragma,
)
from maxcode.generators.rewrites.io import (
    AppendInPlace,
    BlockInput,
    BlockOutput,
    EndlToNewline,
    ScanfToBlockInput,
    StringstreamToReader,
    UnlockedStdio,
    UnsyncStreams,
)
from maxcode.generators.rewrites.lookups import (
    CompareInPlace,
    EmplaceBack,
    LinearFindToSet,
    SingleLookup,
    UncheckedAccess,
)
from maxcode.generators.rewrites.loops import (
    BubbleToSort,
    EarlyExit,
    HoistInvariantCall,
    HoistLocalBuffer,
    HoistLoopBound,
    LoopInterchange,
    MatrixProductOrder,
    SieveFromSquare,
    SymmetricPairs,
)

__all__ = ["CppSource", "Rewrite", "catalogue"]


def catalogue() -> tuple[Rewrite, ...]:
    """Return one of each rewrite, those of which most is expected first."""
    return (
        Memoise(),
        BubbleToSort(),
        BinaryPower(),
        LinearFindToSet(),
        TrialDivision(),
        AppendInPlace(),
        DenseMap(),
        DenseSet(),
        LoopInterchange(),
        MatrixProductOrder(),
        BlockInput(),
        ConstReference(),
        DelayedRoot(),
        EarlyExit(),
        HashedContainers(),
        HoistLoopBound(),
        UnsyncStreams(),
        BlockOutput(),
        EndlToNewline(),
        EraseFrontToDeque(),
        FlatGrid(),
        HoistInvariantCall(),
        ListToVector(),
        LongDoubleToDouble(),
        ScanfToBlockInput(),
        StringstreamToReader(),
        CompareInPlace(),
        FunctionToTemplate(),
        Popcount(),
        RangeReference(),
        SymmetricPairs(),
        CacheResults(),
        HoistLocalBuffer(),
        ModuloToSubtraction(),
        MoveLastUse(),
        PowerToProduct(),
        SieveFromSquare(),
        SingleLookup(),
        VectorBoolToChar(),
        VectorFlagsToBytes(),
        FastMathPragma(),
        TargetPragma(),
        HashReserve(),
        Reserve(),
        UncheckedAccess(),
        UnlockedStdio(),
        UnrollPragma(),
        ConstantDivision(),
        EmplaceBack(),
        VectorFlagsToBits(),
    )
