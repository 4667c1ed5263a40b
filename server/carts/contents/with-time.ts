import { isSameJson } from '../../kernel/shape/values.ts'

/** A part of a cart or an order after a change, with the time of the change; as it was if nothing changes. */
export const withTime = <T extends { readonly updatedAt: string }>(before: T, after: T, now: string): T =>
  isSameJson(before, after) ? before : { ...after, updatedAt: now }
