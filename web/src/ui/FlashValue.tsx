import { type ReactNode, useEffect, useRef } from 'react';
import classes from './FlashValue.module.css';
import { compare, isDecimal } from './money';

interface FlashValueProps {
  /** What is compared: a change tints for 600 ms, up or down if it is a decimal. */
  value: string | number;
  children: ReactNode;
  /** Keeps neighbours still while digits come and go. */
  minWidth?: number | string;
  className?: string;
}

/** Tints softly when its value changes. Set on the element itself, so that a tick costs no second render. */
export function FlashValue({ value, children, minWidth, className }: FlashValueProps) {
  const element = useRef<HTMLSpanElement>(null);
  const before = useRef(value);
  useEffect(() => {
    const previous = before.current;
    before.current = value;
    const node = element.current;
    if (!node || previous === value) return;
    node.removeAttribute('data-flash');
    void node.offsetWidth; // restarts the animation when ticks come faster than it ends
    node.setAttribute('data-flash', direction(previous, value));
    const timer = setTimeout(() => node.removeAttribute('data-flash'), 650);
    return () => clearTimeout(timer);
  }, [value]);
  return (
    <span ref={element} className={`${classes.flash} ${className ?? ''}`} style={{ minWidth }} translate="no">
      {children}
    </span>
  );
}

function direction(before: string | number, after: string | number): 'up' | 'down' {
  if (isDecimal(before) && isDecimal(after)) return compare(after, before) < 0 ? 'down' : 'up';
  return after < before ? 'down' : 'up';
}
