import { orders } from './en-orders.ts'

/** The texts of the screens that are more than declarations, in English. */
export const screens = { orders }

export type ScreenWords = typeof screens
