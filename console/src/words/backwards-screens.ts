import { turn } from './backwards.ts'
import { type ScreenWords, screens } from './en-screens.ts'

export const backwardsScreens = turn(screens) as ScreenWords
