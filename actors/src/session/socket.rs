//! The one option that no safe interface offers: how long the kernel keeps trying to deliver what a peer does not acknowledge.

use std::{io, os::fd::AsFd, time::Duration};

/// Sets TCP_USER_TIMEOUT (RFC 5482): a peer that acknowledges nothing for so long is cut off by the kernel, also when nobody
/// in this process looks at the socket.
#[allow(unsafe_code)]
pub fn set_user_timeout(socket: &impl AsFd, timeout: Duration) -> io::Result<()> {
    use std::os::fd::AsRawFd;
    let value = libc::c_uint::try_from(timeout.as_millis()).unwrap_or(libc::c_uint::MAX);
    let size = libc::socklen_t::try_from(size_of::<libc::c_uint>()).map_err(io::Error::other)?;
    // SAFETY: the descriptor is borrowed, so it is open for the whole call; `value` lives on this frame, its type is what the
    // option takes, and `size` is its size; the kernel only reads it.
    let result = unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_USER_TIMEOUT,
            std::ptr::from_ref(&value).cast(),
            size,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_takes_it() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        set_user_timeout(&stream, Duration::from_secs(33)).unwrap();
        let (pipe, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        assert!(set_user_timeout(&pipe, Duration::from_secs(33)).is_err());
    }
}
