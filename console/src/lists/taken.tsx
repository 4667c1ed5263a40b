import { labelOf } from '../words/labels.ts'
import { words } from '../words/words.ts'
import type { Counts } from './bulk.ts'

/** What would be deleted, by its type. */
export const Taken = ({ counts }: { readonly counts: Counts }) => (
  <>
    <p>{words.bulk.wouldDelete}</p>
    <ul>
      {[...counts].map(([type, n]) => (
        <li key={type}>
          {labelOf(type)}: {words.number(n)}
        </li>
      ))}
    </ul>
  </>
)

export const sumOf = (counts: Counts): number => [...counts.values()].reduce((sum, n) => sum + n, 0)

/** What takes along more than this is confirmed by typing. */
export const freelyMax = 100
