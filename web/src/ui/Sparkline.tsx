import { useId } from 'react';

interface SparklineProps {
  data: readonly number[];
  color?: string;
  width?: number | string;
  height: number;
  className?: string | undefined;
}

/** A decorative trend line: one SVG path, no chart library. Nothing is drawn for fewer than two points. */
export function Sparkline({ data, color = 'var(--up)', width = '100%', height, className }: SparklineProps) {
  const id = useId();
  if (data.length < 2) return <svg className={className} width={width} height={height} aria-hidden />;
  const min = Math.min(...data);
  const span = Math.max(...data) - min || 1;
  const step = 100 / (data.length - 1);
  const line = data
    .map((v, i) => `${i ? 'L' : 'M'}${(i * step).toFixed(2)} ${(29 - ((v - min) / span) * 26).toFixed(2)}`)
    .join('');
  return (
    <svg
      className={className}
      width={width}
      height={height}
      viewBox="0 0 100 32"
      preserveAspectRatio="none"
      aria-hidden
    >
      <linearGradient id={id} x1="0" x2="0" y1="0" y2="1">
        <stop offset="0" stopColor={color} stopOpacity="0.32" />
        <stop offset="1" stopColor={color} stopOpacity="0" />
      </linearGradient>
      <path d={`${line}L100 32L0 32Z`} fill={`url(#${id})`} />
      <path
        d={line}
        fill="none"
        stroke={color}
        strokeWidth="1.6"
        vectorEffect="non-scaling-stroke"
        strokeLinejoin="round"
      />
    </svg>
  );
}
