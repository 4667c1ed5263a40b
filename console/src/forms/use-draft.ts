import { useEffect, useRef, useState } from 'react'
import { type Draft, dropDraft, keepDraft, readDraft } from '../api/drafts.ts'

export interface DraftOfForm {
  /** What was typed before and not saved, until somebody restores or discards it. */
  readonly offer: Draft | undefined
  /** Keeps what is typed now. Without texts there is nothing to keep. */
  keep(typed: Pick<Draft, 'texts' | 'start' | 'etag'>): void
  /** The offer is answered: the form has its texts now. */
  settle(): void
  discard(): void
  /** What was typed is saved. An offer without an answer stays for the next time. */
  finish(): Promise<unknown>
}

export function useDraft(key: string): DraftOfForm {
  const [offer, setOffer] = useState<Draft>()
  // What was there comes before what is written, also when somebody types at once.
  const before = useRef<Promise<Draft | undefined>>(undefined)
  before.current ??= readDraft(key)
  useEffect(() => {
    before.current?.then(setOffer)
  }, [])
  const end = () => {
    before.current = Promise.resolve(undefined)
    setOffer(undefined)
  }
  return {
    offer,
    async keep({ texts, ...from }) {
      const found = await before.current
      const all = { ...found?.texts, ...texts }
      if (Object.keys(all).length) await keepDraft({ key, texts: all, ...from, savedAt: Date.now() })
      else await dropDraft(key)
    },
    settle: end,
    discard() {
      end()
      dropDraft(key)
    },
    async finish() {
      const found = await before.current
      return found ? keepDraft(found) : dropDraft(key)
    },
  }
}
