"""Code generation: kernels to object files of any processor, by Numba's front end and LLVM.

Numba's CPU target runs with a code generator of our own (triple, data layout, processor) in its context, so
that a kernel and all that it calls are compiled for that processor. The result is linked into one module
with a C function `int32_t NAME(int64_t *slots)` beside it, whose slots are those of maths/jit/arguments.

One process compiles for one processor, and for nothing else afterwards.
"""

# Numba has no types for what this file works with.
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import codegen, cpu, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from hoofbeat.maths.jit.compiler import keep_nothing
from hoofbeat.maths.jit.library import RESULT_SLOTS
from hoofbeat.offline.core.processors import KernelError, Processor
from hoofbeat.offline.core.rules import faults


class ObjectLibrary(codegen.CPUCodeLibrary):
    """Modules that are kept as they are and never given to the engine of this process."""

    def _finalize_specific(self) -> None:
        pass

    def _optimize_final_module(self) -> None:
        """Left for the module that all are linked into."""


class Codegen(codegen.CPUCodegen):
    """Numba's code generator for another processor."""

    _library_class = ObjectLibrary

    def __init__(self, processor: Processor) -> None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        self.triple = processor.triple
        self.machine = llvm.Target.from_triple(self.triple).create_target_machine(
            cpu=processor.name,
            features=processor.features,
            opt=3,
            reloc="static" if processor.is_wasm else "pic",
            codemodel="default",
        )
        self._tm, self._tm_features = self.machine, processor.features
        self._target_data = self.machine.target_data
        self._data_layout = str(self._target_data)
        self._llvm_module = llvm.parse_assembly(f'target triple = "{self.triple}"')
        self._loopvect, self._opt_level, self._rtlinker = False, 0, None

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        module.triple = self.triple
        return module

    def _add_module(self, module: Any) -> None:
        del module

    def insert_unresolved_ref(self, builder: Any, fnty: Any, name: str) -> None:
        """Kernels that call themselves, which none does."""
        del builder, fnty
        raise KernelError(f"{name} calls itself")

    def set_env(self, env_name: str, env: Any) -> None:
        """Nothing of this process is known at run time."""
        del env_name, env


class Context(cpu.CPUContext):
    """Numba's context where kernels are compiled and never run."""

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> Any:
        """A function that nobody calls, in place of the compiled one."""
        from numba import _dynfunc

        module, name = fndesc.lookup_module(), fndesc.qualname.split(".")[-1]
        address = ctypes.cast(_NOTHING, ctypes.c_void_p).value
        return _dynfunc.make_function(module, name, "", address, env, (library,))

    def create_cpython_wrapper(self, *args: Any, **options: Any) -> None:
        """Not needed: kernels are called through slots."""

    def create_cfunc_wrapper(self, *args: Any, **options: Any) -> None:
        """Not needed: kernels are called through slots."""


_NOTHING = ctypes.CFUNCTYPE(None)(lambda: None)


@dataclass(frozen=True)
class Object:
    """A compiled entry: its object file, the number of slots of its arguments, and what it gives back."""

    code: bytes
    slots: int
    result: Any
    llvm: str


class Compiler:
    """Compiles kernels for one processor."""

    @global_compiler_lock
    def __init__(self, processor: Processor) -> None:
        from numba.core.runtime.nrt import rtsys

        keep_nothing()
        self._codegen = Codegen(processor)
        self._context = cpu_target.target_context
        self._context.refresh()  # all that the engine of this process needs is made before the change
        self._context.__class__ = Context
        self._context._internal_codegen = self._codegen
        self._context.aot_mode = True
        rtsys._library = _uncounted(self._context)

    @global_compiler_lock
    def compile(self, symbol: str, dispatcher: Any, args: tuple[Any, ...]) -> Object:
        """The object file of a kernel for arguments of these types."""
        signature = tuple(numba.typeof(one) for one in args)
        dispatcher.compile(signature)
        found = dispatcher.overloads[signature]
        kinds = _kinds(found.signature.return_type, symbol)
        wrapper, slots = _wrapper(symbol, self._context, self._codegen, found)
        module = self._linked(symbol, found.library, wrapper)
        text = str(module)
        for fault in faults(symbol, text):
            raise KernelError(fault)
        return Object(self._codegen.machine.emit_object(module), slots, kinds, text)

    def _linked(self, symbol: str, library: Any, wrapper: str) -> Any:
        final = llvm.parse_assembly(
            f'target triple = "{self._codegen.triple}"\ntarget datalayout = "{self._codegen._data_layout}"'
        )
        final.name = symbol
        final.link_in(llvm.parse_assembly(wrapper))
        final.link_in(library._get_module_for_linking(), preserve=True)
        # All but the entry is private, so that what nobody reaches goes.
        for function in final.functions:
            if not function.is_declaration and function.name != symbol:
                function.linkage = "internal"
        for variable in final.global_variables:
            if not variable.is_declaration:
                variable.linkage = "internal"
        passes, builder = self._codegen._module_pass_manager()
        passes.run(final, builder)
        final.verify()
        return final


def _uncounted(context: Any) -> Any:
    """What stands in for Numba's count of references: no kernel allocates, so there is nothing to count."""
    library = context.codegen().create_library("nrt")
    module = library.create_ir_module("nrt_module")
    pointer = ir.PointerType(ir.IntType(8))
    for name in ("NRT_incref", "NRT_decref"):
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), [pointer]), name)
        ir.IRBuilder(function.append_basic_block()).ret_void()
    library.add_ir_module(module)
    library.finalize()
    return library


def _wrapper(symbol: str, context: Any, generator: Codegen, found: Any) -> tuple[str, int]:
    """A module with `int32_t symbol(int64_t *slots)`, which calls a compiled kernel, and the number of slots.

    What the kernel gives back is written behind the slots of its arguments. Returned is the kernel's status.
    """
    module = ir.Module(f"{symbol}_wrapper")
    module.triple, module.data_layout = generator.triple, generator._data_layout
    descriptor = found.fndesc
    kind = context.call_conv.get_function_type(descriptor.restype, descriptor.argtypes)
    callee = ir.Function(module, kind, descriptor.llvm_func_name)
    word = ir.IntType(64)
    function = ir.Function(module, ir.FunctionType(ir.IntType(32), [word.as_pointer()]), symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    result, fault = (builder.alloca(one.pointee) for one in kind.args[:2])

    def place(n: int) -> Any:
        return builder.gep(function.args[0], [ir.Constant(ir.IntType(32), n)])

    values = [_from_word(builder, builder.load(place(n)), one) for n, one in enumerate(kind.args[2:])]
    status = builder.call(callee, [result, fault, *values])
    count = len(values)
    if descriptor.restype != types.none:
        leaves = _leaves(builder, builder.load(result))
        if len(leaves) > RESULT_SLOTS:
            raise KernelError(
                f"{symbol} returns {len(leaves)} numbers, more than {RESULT_SLOTS}; fill an array"
            )
        for n, value in enumerate(leaves):
            builder.store(_to_word(builder, value, descriptor.restype), place(count + n))
    builder.ret(status)
    return str(module), count


def _from_word(builder: Any, word: Any, kind: Any) -> Any:
    """A slot as an argument of its type."""
    if isinstance(kind, ir.PointerType):
        return builder.inttoptr(word, kind)
    if isinstance(kind, ir.DoubleType):
        return builder.bitcast(word, kind)
    if isinstance(kind, ir.FloatType):
        return builder.fptrunc(builder.bitcast(word, ir.DoubleType()), kind)
    return word if kind.width == 64 else builder.trunc(word, kind)


def _to_word(builder: Any, value: Any, kind: Any) -> Any:
    """A number as a slot; a whole number keeps its sign if it has one."""
    word = ir.IntType(64)
    if isinstance(value.type, ir.DoubleType):
        return builder.bitcast(value, word)
    if isinstance(value.type, ir.FloatType):
        return builder.bitcast(builder.fpext(value, ir.DoubleType()), word)
    if value.type.width == 64:
        return value
    signed = isinstance(kind, types.Integer) and kind.signed
    return builder.sext(value, word) if signed else builder.zext(value, word)


def _leaves(builder: Any, value: Any) -> list[Any]:
    """The numbers of a tuple of tuples of numbers."""
    if not isinstance(value.type, ir.Aggregate):
        return [value]
    parts = (builder.extract_value(value, n) for n in range(len(value.type)))
    return [leaf for part in parts for leaf in _leaves(builder, part)]


def _kinds(kind: Any, symbol: str) -> Any:
    """A return type as a manifest has it, see `arguments.result_of`."""
    if kind == types.none:
        return None
    if isinstance(kind, types.BaseTuple):
        return [_kinds(one, symbol) for one in kind]
    if isinstance(kind, types.Float):
        return "f"
    if isinstance(kind, types.Boolean):
        return "?"
    if isinstance(kind, types.Integer):
        return "i" if kind.signed else "u"
    raise KernelError(f"{symbol} returns {kind}; kernels that Python calls return numbers, tuples or nothing")
