import { Avatar } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { fetchFile, PICTURES } from '@/api/file';
import { usePicture } from './pictures';

interface PersonAvatarProps {
  /** Without `avatar` the picture is found by the username. */
  person: { fullName: string; username?: string; avatar?: string | null };
  size?: number;
}

/** A picture that only who is signed in may see: fetched with the token, kept as text, so that nothing has to be given back. */
async function picture(file: string, signal: AbortSignal): Promise<string | null> {
  const bytes = await fetchFile(file, signal);
  if (!PICTURES.includes(bytes.type)) return null;
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : null);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(bytes);
  });
}

/** Somebody's picture, or their initials. Their name stands beside it. */
export function PersonAvatar({ person, size = 36 }: PersonAvatarProps) {
  const { fullName } = person;
  const found = usePicture(person.avatar === undefined ? person.username : undefined);
  const avatar = person.avatar ?? found;
  const { data } = useQuery({
    queryKey: ['picture', avatar],
    queryFn: ({ signal }) => picture(avatar ?? '', signal),
    enabled: !!avatar,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Avatar
      translate="no"
      src={data ?? null}
      name={fullName}
      size={size}
      radius={999}
      color="mint"
      alt=""
      imageProps={{ alt: '' }}
      style={{ flex: 'none' }}
    />
  );
}
