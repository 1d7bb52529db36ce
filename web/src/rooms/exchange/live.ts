/** What the room does with facts while somebody is signed in. */
import { onLive } from '@/live/live';
import { refetchOrders, refetchPresale } from './exchange';

export const exchangeLive = {
  listen: () => {
    const stops = [
      onLive('presale.changed', () => void refetchPresale()),
      onLive('order.changed', () => void refetchOrders()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  },
};
