/** How many messages may be under way, of which endpoints. */
export const slotLimits = {
  shared: 64,
  forLong: 16,
  perOwner: 16,
  // Bounds the sockets of the process.
  total: 2_000,
} as const
