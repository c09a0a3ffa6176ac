"""The catalogue of rewrites that the offline generator chooses from."""

from maxcode.generators.rewrites.append_in_place import AppendInPlace
from maxcode.generators.rewrites.base import Rewrite
from maxcode.generators.rewrites.binary_power import BinaryPower
from maxcode.generators.rewrites.block_input import BlockInput
from maxcode.generators.rewrites.block_output import BlockOutput
from maxcode.generators.rewrites.bubble_to_sort import BubbleToSort
from maxcode.generators.rewrites.cache_results import CacheResults
from maxcode.generators.rewrites.compare_in_place import CompareInPlace
from maxcode.generators.rewrites.const_globals import ConstGlobals
from maxcode.generators.rewrites.const_reference import ConstReference
from maxcode.generators.rewrites.constant_division import ConstantDivision
from maxcode.generators.rewrites.cpp import CppSource
from maxcode.generators.rewrites.delayed_root import DelayedRoot
from maxcode.generators.rewrites.dense_map import DenseMap
from maxcode.generators.rewrites.dense_set import DenseSet
from maxcode.generators.rewrites.early_exit import EarlyExit
from maxcode.generators.rewrites.emplace_back import EmplaceBack
from maxcode.generators.rewrites.endl_to_newline import EndlToNewline
from maxcode.generators.rewrites.erase_front_to_deque import EraseFrontToDeque
from maxcode.generators.rewrites.flat_grid import FlatGrid
from maxcode.generators.rewrites.function_to_template import FunctionToTemplate
from maxcode.generators.rewrites.hash_reserve import HashReserve
from maxcode.generators.rewrites.hashed_containers import HashedContainers
from maxcode.generators.rewrites.hoist_invariant_call import HoistInvariantCall
from maxcode.generators.rewrites.hoist_local_buffer import HoistLocalBuffer
from maxcode.generators.rewrites.hoist_loop_bound import HoistLoopBound
from maxcode.generators.rewrites.linear_find_to_set import LinearFindToSet
from maxcode.generators.rewrites.list_to_vector import ListToVector
from maxcode.generators.rewrites.long_double_to_double import LongDoubleToDouble
from maxcode.generators.rewrites.loop_interchange import LoopInterchange
from maxcode.generators.rewrites.matrix_product_order import MatrixProductOrder
from maxcode.generators.rewrites.memoise import Memoise
from maxcode.generators.rewrites.modulo_to_subtraction import ModuloToSubtraction
from maxcode.generators.rewrites.move_last_use import MoveLastUse
from maxcode.generators.rewrites.narrow_integers import NarrowIntegers
from maxcode.generators.rewrites.popcount import Popcount
from maxcode.generators.rewrites.power_to_product import PowerToProduct
from maxcode.generators.rewrites.pragmas import FastMathPragma, TargetPragma, UnrollPragma
from maxcode.generators.rewrites.range_reference import RangeReference
from maxcode.generators.rewrites.reserve import Reserve
from maxcode.generators.rewrites.row_reference import RowReference
from maxcode.generators.rewrites.scanf_to_block_input import ScanfToBlockInput
from maxcode.generators.rewrites.sieve_from_square import SieveFromSquare
from maxcode.generators.rewrites.single_lookup import SingleLookup
from maxcode.generators.rewrites.stringstream_to_reader import StringstreamToReader
from maxcode.generators.rewrites.symmetric_pairs import SymmetricPairs
from maxcode.generators.rewrites.trial_division import TrialDivision
from maxcode.generators.rewrites.unchecked_access import UncheckedAccess
from maxcode.generators.rewrites.unlocked_stdio import UnlockedStdio
from maxcode.generators.rewrites.unsync_streams import UnsyncStreams
from maxcode.generators.rewrites.vector_bool import (
    VectorBoolToChar,
    VectorFlagsToBits,
    VectorFlagsToBytes,
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
        ConstGlobals(),
        CacheResults(),
        HoistLocalBuffer(),
        ModuloToSubtraction(),
        MoveLastUse(),
        PowerToProduct(),
        RowReference(),
        SieveFromSquare(),
        SingleLookup(),
        VectorBoolToChar(),
        VectorFlagsToBytes(),
        FastMathPragma(),
        TargetPragma(),
        HashReserve(),
        NarrowIntegers(),
        Reserve(),
        UncheckedAccess(),
        UnlockedStdio(),
        UnrollPragma(),
        ConstantDivision(),
        EmplaceBack(),
        VectorFlagsToBits(),
    )
