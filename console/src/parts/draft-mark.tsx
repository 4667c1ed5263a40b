import { words } from '../words/words.ts'
import css from './parts.module.css'

/** Says that something was typed here and not saved. */
export const DraftMark = ({ isNamed }: { readonly isNamed?: boolean }) => (
  <span className={css.draft} title={words.draft.kept}>
    <span aria-hidden="true">✎</span>
    <span className={isNamed ? undefined : 'readersOnly'}> {words.draft.kept}</span>
  </span>
)
