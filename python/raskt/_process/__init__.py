"""What `scheduler="processes"` needs in Python: both sides of a worker process.

`launch` says how one is started and `worker` is what runs in it. `calls` is the parent's side: it packs calls and
unpacks results. `codec` puts objects into messages, large buffers in memory that both sides map, and `errors` does so
for exceptions. Starting, waiting, stopping and burying processes is done natively, without the interpreter.
"""
