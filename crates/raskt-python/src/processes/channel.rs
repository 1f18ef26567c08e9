use std::io;
use std::mem;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// One end of a pair of sockets that keeps messages apart and carries file descriptors.
pub(super) struct Channel(OwnedFd);

/// A message: bytes, and perhaps the memory that they speak of.
pub(super) type Message = (Vec<u8>, Option<OwnedFd>);

/// The longest message. What is longer goes into shared memory; this fits the buffer of a socket.
const MESSAGE_BYTES_MOST: usize = 96 << 10;

impl Channel {
    /// Both ends; neither is inherited by a process that is started.
    pub fn pair() -> io::Result<(Self, OwnedFd)> {
        let mut ends = [0; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        // SAFETY: there is room for both descriptors.
        check(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } as isize)?;
        // SAFETY: both were made just now, and nobody else has them.
        let [own, other] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
        Ok((Self(own), other))
    }

    /// Sends a message; the memory stays the caller's.
    pub fn send(&self, bytes: &[u8], memory: Option<BorrowedFd<'_>>) -> io::Result<()> {
        let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let mut control = Control::default();
        // SAFETY: a header of zeros is one without parts.
        let mut header: libc::msghdr = unsafe { mem::zeroed() };
        header.msg_iov = &raw mut part;
        header.msg_iovlen = 1;
        if let Some(memory) = memory {
            control.fill(memory);
            header.msg_control = control.0.as_mut_ptr().cast();
            header.msg_controllen = Control::LENGTH as _;
        }
        // SAFETY: the header's pointers lead to `bytes` and `control`, which outlive the call.
        check(unsafe { libc::sendmsg(self.0.as_raw_fd(), &raw const header, libc::MSG_NOSIGNAL) })?;
        Ok(())
    }

    /// Waits for a message up to `patience`; whether one is there, or the other end is gone.
    pub fn wait(&self, patience: Duration) -> io::Result<bool> {
        let mut poll = libc::pollfd { fd: self.0.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: there is one entry.
        let ready = unsafe { libc::poll(&raw mut poll, 1, patience.as_millis() as i32) };
        match check(ready as isize) {
            Ok(ready) => Ok(ready > 0),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The next message, which has to be there; nothing if the other end is gone.
    pub fn receive(&self) -> io::Result<Option<Message>> {
        let mut bytes = vec![0; MESSAGE_BYTES_MOST];
        let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        let mut control = Control::default();
        // SAFETY: a header of zeros is one without parts.
        let mut header: libc::msghdr = unsafe { mem::zeroed() };
        header.msg_iov = &raw mut part;
        header.msg_iovlen = 1;
        header.msg_control = control.0.as_mut_ptr().cast();
        header.msg_controllen = Control::LENGTH as _;
        // SAFETY: the header's pointers lead to `bytes` and `control`, which outlive the call.
        let length = unsafe { libc::recvmsg(self.0.as_raw_fd(), &raw mut header, libc::MSG_CMSG_CLOEXEC) };
        let length = match check(length) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
            length => length?,
        };
        bytes.truncate(length as usize);
        let memory = Control::taken(&header);
        Ok((!bytes.is_empty()).then_some((bytes, memory)))
    }
}

/// Room for the one descriptor that a message may carry, aligned as its header wants.
#[derive(Default)]
struct Control([u64; 3]);

impl Control {
    const LENGTH: usize = size_of::<Self>();

    fn fill(&mut self, memory: BorrowedFd<'_>) {
        let header: *mut libc::cmsghdr = self.0.as_mut_ptr().cast();
        // SAFETY: sixteen bytes of header and four of data lie within the twenty-four.
        unsafe {
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(4) as _;
            libc::CMSG_DATA(header).cast::<i32>().write_unaligned(memory.as_raw_fd());
        }
    }

    fn taken(header: &libc::msghdr) -> Option<OwnedFd> {
        // SAFETY: `recvmsg` has filled the header; its control part is a `Control` that is alive.
        unsafe {
            let first = libc::CMSG_FIRSTHDR(header);
            let carries = !first.is_null() && (*first).cmsg_type == libc::SCM_RIGHTS;
            carries.then(|| OwnedFd::from_raw_fd(libc::CMSG_DATA(first).cast::<i32>().read_unaligned()))
        }
    }
}

/// What a system call gave, as an error where it says that it failed.
pub(super) fn check(result: isize) -> io::Result<isize> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Anonymous memory of `length` bytes, all zero, that goes by a descriptor.
pub(super) fn anonymous_memory(length: usize) -> io::Result<OwnedFd> {
    // SAFETY: the name is a string that ends in zero.
    let memory = check(unsafe { libc::memfd_create(c"raskt".as_ptr(), libc::MFD_CLOEXEC) } as isize)?;
    // SAFETY: it was made just now, and nobody else has it.
    let memory = unsafe { OwnedFd::from_raw_fd(memory as i32) };
    // SAFETY: changes the length of a file that is ours.
    check(unsafe { libc::ftruncate(memory.as_raw_fd(), length as libc::off_t) } as isize)?;
    Ok(memory)
}
