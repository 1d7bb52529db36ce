//! Nchan, when Debian's nginx and its module are installed: the peer for pushing.

use crate::process::Process;
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
};

fn module() -> Option<PathBuf> {
    [
        "/usr/lib/nginx/modules/ngx_nchan_module.so",
        "/usr/share/nginx/modules/ngx_nchan_module.so",
    ]
    .iter()
    .map(PathBuf::from)
    .find(|p| p.exists())
}

/// Starts it, or `None` when it is not installed.
///
/// # Errors
/// When it is installed but does not start.
pub async fn start(folder: &Path, port: u16) -> anyhow::Result<Option<Process>> {
    let Some(module) = module() else { return Ok(None) };
    let binary = Path::new("/usr/sbin/nginx");
    if !binary.exists() {
        return Ok(None);
    }
    let config = folder.join("nchan.conf");
    std::fs::write(
        &config,
        format!(
            "load_module {};\ndaemon off;\nworker_processes 2;\npid {}/nginx.pid;\nerror_log {}/nginx-error.log;\nworker_rlimit_nofile 20000;\n\
             events {{ worker_connections 9500; }}\nhttp {{ access_log off; keepalive_requests 1000000; nchan_shared_memory_size 256M;\n\
             server {{ listen 127.0.0.1:{port} backlog=8192;\n\
             location = /sub {{ nchan_subscriber websocket; nchan_channel_id $arg_id; nchan_subscriber_first_message newest; }}\n\
             location = /pub {{ nchan_publisher; nchan_channel_id $arg_id; nchan_message_buffer_length 200; }} }} }}\n",
            module.display(),
            folder.display(),
            folder.display()
        ),
    )?;
    let mut process = Process::start(
        Command::new(binary).arg("-c").arg(&config).arg("-p").arg(folder),
        &folder.join("nginx.log"),
    )?;
    process
        .listening(SocketAddr::from(([127, 0, 0, 1], port)))
        .await?;
    Ok(Some(process))
}
