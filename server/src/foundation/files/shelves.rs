//! Where files rest: a folder of this machine, or a bucket of an S3-compatible store. One port for both (`object_store`); nothing else
//! of the house reads, writes or removes a file that somebody gave.
//!
//! Invariants: a file has the same name in both, `<two letters>/<uuid>`, and beside it what belongs to it ([`Part`]). Into the folder it is
//! moved, with the rights that it was written with, and the move is on the disk before it is said to be done; to a bucket it is sent, in
//! parts that are bounded. It is read in pieces: a slow reader holds one of them and no connection.

use super::{
    Part,
    incoming::{INCOMING, Temporary, disk, private_folder, written},
};
use crate::{error::Error, foundation::outbound};
use bytes::Bytes;
use futures_util::{StreamExt, stream::BoxStream};
use object_store::{
    ClientOptions, Error as StoreError, ObjectMeta, ObjectStore, ObjectStoreExt, RetryConfig, WriteMultipart,
    aws::AmazonS3Builder,
    client::{HttpClient, HttpConnector},
    local::LocalFileSystem,
    path::Path as Name,
};
use protocol::{ErrorCode, ids::FileId};
use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use time::OffsetDateTime;
use tokio::{
    fs,
    io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt},
};
use uuid::Uuid;

/// How long one call to a bucket may take: a part of [`SENT`] bytes over a slow line.
const PATIENCE: Duration = Duration::from_secs(60);
/// For how long a call that failed is tried again.
const TRIED: Duration = Duration::from_secs(30);
const TRIES: usize = 3;
/// Bytes that one call sends; what is larger goes in several.
const SENT: usize = 8 * 1024 * 1024;
const SENT_AT_ONCE: usize = 2;
/// The most that sending one thing has in memory: what is on its way, and what is gathered meanwhile.
pub(super) const SENDING: u64 = 3 * 8 * 1024 * 1024;
const READ: usize = 64 * 1024;
/// What says whose they are (`whose`): no file is called so.
const MARK: &str = "house";
/// What is written there by us is shorter by far.
const MOST_MARK: u64 = 1024;

/// A bucket, and who asks there.
#[derive(Clone, Copy)]
pub struct Bucket<'a> {
    /// None: where Amazon keeps the region's buckets.
    pub endpoint: Option<&'a url::Url>,
    pub name: &'a str,
    pub region: &'a str,
    /// The bucket stands in the path, not in the host's name.
    pub path_style: bool,
    pub key_id: &'a str,
    pub secret: &'a str,
}

/// Where files rest. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Shelves {
    store: Arc<dyn ObjectStore>,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    /// Below this folder, in which what comes in waits too.
    Here(PathBuf),
    Away,
}

/// Something that lies there.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Whose name it has; none for what no file of ours is called.
    pub file: Option<(FileId, Part)>,
    pub bytes: u64,
    pub changed_at: OffsetDateTime,
    name: Name,
}

impl Found {
    pub fn name(&self) -> &str {
        self.name.as_ref()
    }
}

/// Calls leave by the house's own client.
#[derive(Debug)]
struct Way(reqwest::Client);

impl HttpConnector for Way {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

impl Shelves {
    /// The shelves of a folder that is there.
    ///
    /// # Errors
    /// When the folder cannot be found.
    pub fn folder(root: &Path) -> Result<Self, Error> {
        let store = LocalFileSystem::new_with_prefix(root)
            .map_err(|e| Error::internal(format!("the folder of the files: {e}")))?
            .with_fsync(true);
        Ok(Self {
            store: Arc::new(store),
            place: Place::Here(root.to_owned()),
        })
    }

    /// The shelves of a bucket. Nobody is asked yet.
    ///
    /// # Errors
    /// When no client can be made, or the bucket's address is none.
    pub fn bucket(bucket: &Bucket<'_>) -> Result<Self, Error> {
        let wrong =
            |error: &dyn std::fmt::Display| Error::internal(format!("the bucket of the files: {error}"));
        let host = bucket.endpoint.and_then(url::Url::host);
        let http = outbound::client(outbound::Purpose {
            local: matches!(host, Some(url::Host::Ipv4(ip)) if ip.is_loopback())
                || matches!(host, Some(url::Host::Ipv6(ip)) if ip.is_loopback()),
            ..outbound::Purpose::within(PATIENCE)
        })
        .map_err(|e| wrong(&e))?;
        let mut builder = AmazonS3Builder::new()
            .with_http_connector(Way(http))
            .with_bucket_name(bucket.name)
            .with_region(bucket.region)
            .with_access_key_id(bucket.key_id)
            .with_secret_access_key(bucket.secret)
            .with_virtual_hosted_style_request(!bucket.path_style)
            // Not every store knows how to forget many at once.
            .with_disable_bulk_delete(true)
            .with_disable_tagging(true)
            .with_retry(RetryConfig {
                max_retries: TRIES,
                retry_timeout: TRIED,
                ..RetryConfig::default()
            });
        if let Some(endpoint) = bucket.endpoint {
            builder = builder.with_endpoint(hosted(endpoint, bucket).map_err(|e| wrong(&e))?);
        }
        Ok(Self {
            store: Arc::new(builder.build().map_err(|e| wrong(&e))?),
            place: Place::Away,
        })
    }

    /// Whether bytes go over the network to them: before a change begins, so that nothing of the database waits for it.
    pub(super) const fn are_away(&self) -> bool {
        matches!(self.place, Place::Away)
    }

    /// The most that one read asks for: of a bucket more, each call has its way.
    pub(super) const fn piece_length(&self) -> u64 {
        match self.place {
            Place::Here(_) => 64 * 1024,
            Place::Away => 1024 * 1024,
        }
    }

    /// Gives bytes that wait in `incoming` their place, or another's place of the same name.
    pub(super) async fn keep(&self, bytes: Temporary, id: FileId, part: Part) -> Result<(), Error> {
        let name = name(id, part);
        match &self.place {
            Place::Here(root) => {
                private_folder(&root.join(shelf(id))).await?;
                self.moved(bytes, &name).await
            }
            // What waits here goes when it is dropped.
            Place::Away => match bytes.path() {
                Some(path) => self.send(path, &name).await,
                None => Ok(()),
            },
        }
    }

    /// Out of `incoming` of the folder, with the rights that it was written with.
    async fn moved(&self, bytes: Temporary, name: &Name) -> Result<(), Error> {
        let from = Name::from(format!("{INCOMING}/{}", bytes.file_name().unwrap_or_default()));
        let moved = self.store.rename(&from, name).await;
        moved.map_err(|e| self.trouble(&e))?;
        bytes.moved();
        Ok(())
    }

    /// What is written on the mark; none: there is no mark. Of something too long for one nothing is read.
    pub(super) async fn mark(&self) -> Result<Option<Bytes>, Error> {
        let got = match self.store.get(&Name::from(MARK)).await {
            Ok(got) if got.meta.size <= MOST_MARK => got,
            Ok(_) => return Ok(Some(Bytes::new())),
            Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(self.trouble(&error)),
        };
        got.bytes().await.map(Some).map_err(|e| self.trouble(&e))
    }

    /// Writes on the mark, in place of what stood there. Not every store writes only what is not there yet, so nobody relies on that: who
    /// writes reads it again before anything is removed.
    pub(super) async fn write_mark(&self, text: String) -> Result<(), Error> {
        let name = Name::from(MARK);
        match &self.place {
            Place::Here(root) => {
                let folder = root.join(INCOMING);
                private_folder(&folder).await?;
                let path = folder.join(Uuid::now_v7().simple().to_string());
                self.moved(written(path, text.as_bytes()).await?, &name).await
            }
            Place::Away => {
                let put = self.store.put(&name, text.into()).await;
                put.map(drop).map_err(|e| self.trouble(&e))
            }
        }
    }

    async fn send(&self, path: &Path, name: &Name) -> Result<(), Error> {
        let mut file = fs::File::open(path).await.map_err(disk)?;
        let length = file.metadata().await.map_err(disk)?.len();
        if usize::try_from(length).is_ok_and(|length| length <= SENT) {
            let mut whole = Vec::new();
            file.read_to_end(&mut whole).await.map_err(disk)?;
            let put = self.store.put(name, whole.into()).await;
            return put.map(drop).map_err(|e| self.trouble(&e));
        }
        let upload = self.store.put_multipart(name).await;
        let upload = upload.map_err(|e| self.trouble(&e))?;
        let mut sender = WriteMultipart::new_with_chunk_size(upload, SENT);
        match self.send_parts(&mut file, &mut sender).await {
            Ok(()) => sender.finish().await.map(drop).map_err(|e| self.trouble(&e)),
            Err(error) => {
                // The parts that came there are of no use; what fails here the bucket's own rule forgets.
                let _ = sender.abort().await;
                Err(error)
            }
        }
    }

    async fn send_parts(&self, file: &mut fs::File, sender: &mut WriteMultipart) -> Result<(), Error> {
        loop {
            let mut buffer = bytes::BytesMut::with_capacity(READ);
            if file.read_buf(&mut buffer).await.map_err(disk)? == 0 {
                return Ok(());
            }
            let free = sender.wait_for_capacity(SENT_AT_ONCE).await;
            free.map_err(|e| self.trouble(&e))?;
            sender.put(buffer.freeze());
        }
    }

    /// How long it is; none: there is no such thing.
    pub(super) async fn length(&self, id: FileId, part: Part) -> Result<Option<u64>, Error> {
        match self.store.head(&name(id, part)).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.trouble(&error)),
        }
    }

    /// The bytes of a range, all of them.
    pub(super) async fn read(&self, id: FileId, part: Part, range: Range<u64>) -> Result<Bytes, Error> {
        let wanted = range.end - range.start;
        let read = self.store.get_range(&name(id, part), range).await;
        let bytes = read.map_err(|e| self.trouble(&e))?;
        if u64::try_from(bytes.len()).ok() == Some(wanted) {
            Ok(bytes)
        } else {
            Err(Error::internal(format!("file {id} is shorter than its row says")))
        }
    }

    /// All of something small; none: there is no such thing, or it is no small one.
    pub(super) async fn whole(&self, id: FileId, part: Part, most: u64) -> Result<Option<Bytes>, Error> {
        let got = match self.store.get(&name(id, part)).await {
            Ok(got) if got.meta.size <= most => got,
            Ok(_) | Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(self.trouble(&error)),
        };
        got.bytes().await.map(Some).map_err(|e| self.trouble(&e))
    }

    /// The file on this machine, to be read from its beginning: for what cannot read it piece by piece. Of a bucket a copy without a name,
    /// which goes with its handle.
    pub(super) async fn on_disk(&self, id: FileId, length: u64) -> Result<std::fs::File, Error> {
        if let Place::Here(root) = &self.place {
            let path = root.join(shelf(id)).join(id.0.simple().to_string());
            return Ok(fs::File::open(path).await.map_err(disk)?.into_std().await);
        }
        let nameless = tokio::task::spawn_blocking(tempfile::tempfile).await;
        let nameless = nameless.map_err(|_| Error::internal("making a file panicked"))?;
        let mut copy = fs::File::from_std(nameless.map_err(disk)?);
        let mut at = 0;
        while at < length {
            let end = length.min(at + self.piece_length());
            let bytes = self.read(id, Part::Served, at..end).await?;
            copy.write_all(&bytes).await.map_err(disk)?;
            at = end;
        }
        copy.flush().await.map_err(disk)?;
        copy.rewind().await.map_err(disk)?;
        Ok(copy.into_std().await)
    }

    /// Removes a file and all that lies beside it; what is not there needs nothing. The file itself goes last: one that was not removed
    /// whole is found again.
    pub(super) async fn forget(&self, id: FileId) -> Result<(), Error> {
        for part in Part::ALL {
            self.remove(&name(id, part)).await?;
        }
        Ok(())
    }

    /// Removes one thing.
    pub(super) async fn remove_found(&self, found: &Found) -> Result<(), Error> {
        self.remove(&found.name).await
    }

    async fn remove(&self, name: &Name) -> Result<(), Error> {
        match self.store.delete(name).await {
            Ok(()) | Err(StoreError::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.trouble(&error)),
        }
    }

    /// Everything that lies there, in no order; not what is coming in.
    pub(super) fn all(&self) -> BoxStream<'static, Result<Found, Error>> {
        let shelves = self.clone();
        self.store
            .list(None)
            .filter_map(move |found| {
                let found = match found {
                    Ok(meta) => Found::of(meta).map(Ok),
                    Err(error) => Some(Err(shelves.trouble(&error))),
                };
                std::future::ready(found)
            })
            .boxed()
    }

    fn trouble(&self, error: &StoreError) -> Error {
        let error: &(dyn std::error::Error + 'static) = error;
        let causes = std::iter::successors(Some(error), |error| error.source());
        let full = causes
            .filter_map(|cause| cause.downcast_ref::<io::Error>())
            .any(|cause| cause.kind() == io::ErrorKind::StorageFull);
        match self.place {
            Place::Here(_) if !full => Error::internal(format!("the folder of the files: {error}")),
            _ => {
                tracing::error!(reason = %error, "files can neither be taken in nor given out");
                Error::code(ErrorCode::Unavailable).retry_after(60)
            }
        }
    }
}

impl Found {
    /// None: the mark, and what is only coming in.
    fn of(meta: ObjectMeta) -> Option<Self> {
        let text: &str = meta.location.as_ref();
        let coming = text.strip_prefix(INCOMING);
        if text == MARK || coming.is_some_and(|rest| rest.starts_with('/')) {
            return None;
        }
        Some(Self {
            file: read_name(text),
            bytes: meta.size,
            // A moment beyond what we can say is no old one.
            changed_at: OffsetDateTime::from_unix_timestamp(meta.last_modified.timestamp())
                .unwrap_or(OffsetDateTime::UNIX_EPOCH + time::Duration::days(365 * 8000)),
            name: meta.location,
        })
    }
}

/// The tail of a v7 uuid is random: it spreads files evenly.
fn shelf(id: FileId) -> String {
    let name = id.0.simple().to_string();
    name.get(name.len().saturating_sub(2)..)
        .unwrap_or_default()
        .to_owned()
}

fn name(id: FileId, part: Part) -> Name {
    Name::from(format!("{}/{}{}", shelf(id), id.0.simple(), part.ending()))
}

fn read_name(name: &str) -> Option<(FileId, Part)> {
    let (on, rest) = name.split_once('/')?;
    let (digits, ending) = rest.split_at_checked(32)?;
    let part = Part::ALL.into_iter().find(|part| part.ending() == ending)?;
    let id: FileId = digits.parse().ok()?;
    (shelf(id) == on && id.0.simple().to_string() == digits).then_some((id, part))
}

/// Where a bucket answers whose name stands in the host: a store of somebody's own has it below its own name.
fn hosted(endpoint: &url::Url, bucket: &Bucket<'_>) -> Result<String, url::ParseError> {
    let mut address = endpoint.clone();
    if !bucket.path_style {
        let host = endpoint.host_str().unwrap_or_default();
        address.set_host(Some(&format!("{}.{host}", bucket.name)))?;
    }
    Ok(address.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::files::Small;

    const ID: &str = "0190a000-0000-7000-8000-0000000000fe";

    #[test]
    fn files_are_shelved_by_the_random_tail_and_their_names_are_read_again() {
        let id: FileId = ID.parse().unwrap();
        let plain = "fe/0190a0000000700080000000000000fe";
        assert_eq!(name(id, Part::Served).to_string(), plain);
        assert_eq!(name(id, Part::Original).to_string(), format!("{plain}.original"));
        assert_eq!(
            name(id, Part::Small(Small::Square32)).to_string(),
            format!("{plain}.32")
        );
        for part in Part::ALL {
            assert_eq!(read_name(name(id, part).as_ref()), Some((id, part)), "{part:?}");
        }
        for strange in [
            "aa/0190a0000000700080000000000000fe",
            "fe/0190a0000000700080000000000000fe.exe",
            "fe/0190A0000000700080000000000000fe",
            "fe/notes.txt",
            "0190a0000000700080000000000000fe",
            "fe/é190a00000007000800000000000fe",
        ] {
            assert_eq!(read_name(strange), None, "{strange}");
        }
    }

    #[test]
    fn a_buckets_address_is_the_stores_own() {
        let endpoint = url::Url::parse("https://s3.storage.casa:9000").unwrap();
        let mut bucket = Bucket {
            endpoint: Some(&endpoint),
            name: "arbora",
            region: "us-east-1",
            path_style: true,
            key_id: "id",
            secret: "secret",
        };
        assert_eq!(
            hosted(&endpoint, &bucket).unwrap(),
            "https://s3.storage.casa:9000"
        );
        bucket.path_style = false;
        assert_eq!(
            hosted(&endpoint, &bucket).unwrap(),
            "https://arbora.s3.storage.casa:9000"
        );
    }
}
