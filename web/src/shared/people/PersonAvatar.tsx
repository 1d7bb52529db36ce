import { Avatar } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { atMost } from '@/api/atMost';
import { fetchFile, PICTURES, type Size } from '@/api/file';
import { hasLeft } from '@/shared/network/left';
import { usePicture } from './pictures';
import { squareFor } from './squares';

interface PersonAvatarProps {
  /** Without `avatar` the picture is found by the username. */
  person: { fullName: string; username?: string; avatar?: string | null };
  size?: number;
}

/** A long list's faces come a few at a time: what somebody does there does not wait behind them. */
const inTurn = atMost(6);

/** A picture that only who is signed in may see: fetched with the token, kept as text, so that nothing has to be given back. */
async function picture(file: string, size: Size | undefined, signal: AbortSignal): Promise<string | null> {
  const bytes = await inTurn(() => fetchFile(file, signal, size), signal);
  if (!PICTURES.includes(bytes.type)) return null;
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : null);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(bytes);
  });
}

/** Somebody's picture, or their initials; of who has left neither. Their name stands beside it. No more of it is fetched than is shown, and not before it is seen. */
export function PersonAvatar({ person, size = 36 }: PersonAvatarProps) {
  const { fullName } = person;
  const gone = person.username !== undefined && hasLeft(person.username);
  const found = usePicture(person.avatar === undefined && !gone ? person.username : undefined);
  const avatar = gone ? null : (person.avatar ?? found);
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const square = squareFor(size, devicePixelRatio);
  const { data } = useQuery({
    queryKey: ['picture', avatar, square],
    queryFn: ({ signal }) => picture(avatar ?? '', square, signal),
    enabled: !!avatar && inViewport,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Avatar
      ref={ref}
      translate="no"
      src={data ?? null}
      {...(!gone && { name: fullName })}
      size={size}
      radius={999}
      color="mint"
      alt=""
      imageProps={{ alt: '' }}
      style={{ flex: 'none' }}
    />
  );
}
