import type { Draft } from '../api/drafts.ts'
import { Time } from '../fields/time.tsx'
import { Button } from '../parts/button.tsx'
import { words } from '../words/words.ts'
import css from './forms.module.css'

interface DraftNoticeProps {
  readonly draft: Draft
  onRestore(): void
  onDiscard(): void
}

/** Offers what was typed before and not saved. */
export const DraftNotice = ({ draft, onRestore, onDiscard }: DraftNoticeProps) => (
  <div className={css.notice} role="status">
    <p>
      {words.draft.about} <Time iso={new Date(draft.savedAt).toISOString()} />
    </p>
    <Button onClick={onRestore}>{words.draft.restore}</Button>
    <Button onClick={onDiscard}>{words.draft.discard}</Button>
  </div>
)
