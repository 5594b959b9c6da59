; What a kernel on a GPU needs besides a game's code: the thread's row, and memory for the arrays that rules make.
; Each thread has an arena of %heap_size bytes: its first 8 are how much of it is used. An array is freed if it is the
; last one, and all of them at the next step. As in Numba, 40 bytes before its data describe it: how many use it, the
; bytes that were used before it (in Numba the destructor, which none has, and its argument), the data, their length.

@heap = internal global i64 0
@heap_size = internal global i64 0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.trap()

define internal i64 @thread() {
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %before = mul i32 %block, %size
  %number = add i32 %before, %thread
  %wide = zext i32 %number to i64
  ret i64 %wide
}

define internal i64 @arena() {
  %thread = call i64 @thread()
  %heap = load volatile i64, ptr @heap
  %size = load volatile i64, ptr @heap_size
  %offset = mul i64 %thread, %size
  %arena = add i64 %heap, %offset
  ret i64 %arena
}

define ptr @NRT_MemInfo_alloc_aligned(i64 %bytes, i32 %align) {
  %arena = call i64 @arena()
  %counter = inttoptr i64 %arena to ptr
  %used = load i64, ptr %counter
  %free = add i64 %arena, %used
  %wide = zext i32 %align to i64
  %gap = add i64 %wide, 39
  %high = add i64 %free, %gap
  %mask = sub i64 0, %wide
  %data = and i64 %high, %mask
  %end = add i64 %data, %bytes
  %now = sub i64 %end, %arena
  %size = load volatile i64, ptr @heap_size
  %full = icmp ugt i64 %now, %size
  br i1 %full, label %stop, label %take
stop:
  call void @llvm.trap()
  unreachable
take:
  %first = sub i64 %data, 40
  %info = inttoptr i64 %first to ptr
  store i64 1, ptr %info
  %destructor = getelementptr i64, ptr %info, i64 1
  store i64 0, ptr %destructor
  %before = getelementptr i64, ptr %info, i64 2
  store i64 %used, ptr %before
  %place = getelementptr i64, ptr %info, i64 3
  store i64 %data, ptr %place
  %length = getelementptr i64, ptr %info, i64 4
  store i64 %bytes, ptr %length
  store i64 %now, ptr %counter
  ret ptr %info
}

define void @NRT_incref(ptr %info) {
  %none = icmp eq ptr %info, null
  br i1 %none, label %done, label %count
count:
  %users = load i64, ptr %info
  %more = add i64 %users, 1
  store i64 %more, ptr %info
  br label %done
done:
  ret void
}

define void @NRT_decref(ptr %info) {
  %none = icmp eq ptr %info, null
  br i1 %none, label %done, label %count
count:
  %users = load i64, ptr %info
  %fewer = sub i64 %users, 1
  store i64 %fewer, ptr %info
  %unused = icmp eq i64 %fewer, 0
  br i1 %unused, label %free, label %done
free:
  %arena = call i64 @arena()
  %counter = inttoptr i64 %arena to ptr
  %used = load i64, ptr %counter
  %place = getelementptr i64, ptr %info, i64 3
  %data = load i64, ptr %place
  %length = getelementptr i64, ptr %info, i64 4
  %bytes = load i64, ptr %length
  %end = add i64 %data, %bytes
  %now = sub i64 %end, %arena
  %last = icmp eq i64 %now, %used
  br i1 %last, label %return, label %done
return:
  %before = getelementptr i64, ptr %info, i64 2
  %earlier = load i64, ptr %before
  store i64 %earlier, ptr %counter
  br label %done
done:
  ret void
}

; Whether this thread has a row, with its arena empty.
define internal i1 @enter(i64 %row, i64 %rows, i64 %memory, i64 %memory_size) {
  %inside = icmp ult i64 %row, %rows
  br i1 %inside, label %ready, label %done
ready:
  store volatile i64 %memory, ptr @heap
  store volatile i64 %memory_size, ptr @heap_size
  %has_memory = icmp ne i64 %memory_size, 0
  br i1 %has_memory, label %clear, label %done
clear:
  %arena = call i64 @arena()
  %counter = inttoptr i64 %arena to ptr
  store i64 8, ptr %counter
  br label %done
done:
  ret i1 %inside
}

; One step of the row of this thread, by STEP, the compiled `cardgym.engine.kernel._step`, with PER_ROW as the command.
define ptx_kernel void @cardgym_step(i64 %rows, ptr %addresses, i64 %record, i64 %illegal, i8 %skip, ptr %observations, i64 %size, ptr %masks, i64 %actions, i64 %memory, i64 %memory_size) {
  %row = call i64 @thread()
  %inside = call i1 @enter(i64 %row, i64 %rows, i64 %memory, i64 %memory_size)
  br i1 %inside, label %play, label %done
play:
  %answer = alloca [2 x i64]
  %error = alloca ptr
  %offset = mul i64 %row, %record
  %first = ptrtoint ptr %addresses to i64
  %address = add i64 %first, %offset
  %before = mul i64 %row, %size
  %observation = getelementptr float, ptr %observations, i64 %before
  %masked = mul i64 %row, %actions
  %mask = getelementptr i8, ptr %masks, i64 %masked
  %status = call i32 @STEP(ptr %answer, ptr %error, i64 %address, i64 0, i64 -1, i64 %illegal, i8 %skip, ptr null, ptr null, i64 %size, i64 4, ptr %observation, i64 %size, i64 4, ptr null, ptr null, i64 %actions, i64 1, ptr %mask, i64 %actions, i64 1)
  br label %done
done:
  ret void
}

; The winner of this thread's row by WINNERS, the compiled `cardgym.envs.core._find_winners`.
define ptx_kernel void @cardgym_winners(i64 %rows, ptr %states, i64 %size, ptr %forfeited, ptr %over, i64 %seats, ptr %winners, i64 %memory, i64 %memory_size) {
  %row = call i64 @thread()
  %inside = call i1 @enter(i64 %row, i64 %rows, i64 %memory, i64 %memory_size)
  br i1 %inside, label %find, label %done
find:
  %answer = alloca [2 x i64]
  %error = alloca ptr
  %offset = mul i64 %row, %size
  %state = getelementptr i8, ptr %states, i64 %offset
  %by = getelementptr i64, ptr %forfeited, i64 %row
  %ended = getelementptr i8, ptr %over, i64 %row
  %winner = getelementptr i64, ptr %winners, i64 %row
  %status = call i32 @WINNERS(ptr %answer, ptr %error, ptr null, ptr null, i64 1, i64 %size, ptr %state, i64 1, i64 %size, ptr null, ptr null, i64 1, i64 8, ptr %by, i64 1, i64 8, ptr null, ptr null, i64 1, i64 1, ptr %ended, i64 1, i64 1, i64 %seats, ptr null, ptr null, i64 1, i64 8, ptr %winner, i64 1, i64 8)
  br label %done
done:
  ret void
}
