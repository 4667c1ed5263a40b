import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { type Item, pageIn } from '../../api/objects.ts'
import { resourceOf } from '../../api/resources.ts'
import { ExportWindow } from '../../lists/export-window.tsx'
import { Button } from '../../parts/button.tsx'
import parts from '../../parts/parts.module.css'
import { screenWords, words } from '../../words/words.ts'
import css from './bulk-changes.module.css'
import { countsOf } from './plan.ts'
import { Refused, type Target } from './sample.tsx'

interface RefusalsProps {
  readonly bulkChange: Item
  readonly itemPath: string
  readonly target: Target
}

const shownMax = 25

/** The objects that a bulk change did not change, with the reason of each. */
export function Refusals({ bulkChange, itemPath, target }: RefusalsProps) {
  const { page } = screenWords.bulkChanges
  const [isExporting, setExporting] = useState(false)
  const { refused } = countsOf(bulkChange)
  const path = `${itemPath}/refusals`
  const resource = resourceOf('bulk-change-refusals')
  const { data } = useQuery({
    queryKey: ['item', path, refused],
    queryFn: async ({ signal }) => (await send({ path: `${path}?page[limit]=${shownMax}`, signal })).body,
  })
  const { rows, total } = pageIn(data)
  if (!data) return <p role="status">{words.loading}</p>
  return (
    <>
      <Refused {...target} title={page.refusals(refused)} refusals={rows} />
      <p className={css.dim}>{page.refusalsAbout}</p>
      <div className={parts.row}>
        {resource && <Button onClick={() => setExporting(true)}>{page.csv}</Button>}
        {refused > rows.length && (
          <Link to="/$" params={{ _splat: path.slice(1) }}>
            {page.allRefusals}
          </Link>
        )}
      </div>
      {isExporting && resource && (
        <ExportWindow
          {...{ resource, total }}
          listPath={path}
          search={{}}
          onClose={() => setExporting(false)}
        />
      )}
    </>
  )
}
