import { Suspense } from 'react'
import { useRights } from '../api/rights.ts'
import { Notice } from '../parts/notice.tsx'
import { words } from '../words/words.ts'
import type { Page } from './more-screens.ts'

/** A page, for those who may see what it shows. */
export function PageScreen({ page: { right, title, Screen } }: { readonly page: Page }) {
  const rights = useRights()
  if (!rights.isKnown) return <p role="status">{words.loading}</p>
  if (!rights.may(right))
    return <Notice isPage sign="⊘" title={title()} about={words.rights.missing(right, rights.role ?? '')} />
  return (
    <Suspense fallback={<p role="status">{words.loading}</p>}>
      <h1>{title()}</h1>
      <Screen />
    </Suspense>
  )
}
