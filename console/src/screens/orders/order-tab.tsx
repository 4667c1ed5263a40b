import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { loadFields, resourceOf } from '../../api/resources.ts'
import { nameOf } from '../../fields/names.ts'
import { faultTexts } from '../../parts/faults.tsx'
import { Notice } from '../../parts/notice.tsx'
import type { TabProps } from '../../records/record-parts.ts'
import { words } from '../../words/words.ts'
import { useContents } from './contents.ts'
import { OrderDeeds } from './order-deeds.tsx'
import { OrderHead } from './order-head.tsx'
import { OrderLines } from './order-lines.tsx'
import { OrderPayments } from './order-payments.tsx'
import { OrderShipping } from './order-shipping.tsx'
import { OrderTimeline } from './order-timeline.tsx'
import css from './orders.module.css'
import { usePayments } from './payments.ts'
import { idsOf } from './timeline.ts'
import { linesOf } from './totals.ts'

/** An order as somebody needs it who serves its buyer. */
export function OrderTab({ item, itemPath, etag, fields }: TabProps) {
  const queries = useQueryClient()
  const contents = useContents(itemPath)
  const payments = usePayments(itemPath)
  const ofPayments = useQuery({
    queryKey: ['fields', 'transactions'],
    queryFn: () => loadFields({ id: 'transactions' }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [done, setDone] = useState('')
  const update = resourceOf('orders')?.update
  const error = contents.error ?? payments.error
  const onDone = async (text: string) => {
    setDone(text)
    await Promise.all(['item', 'list'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
  }
  if (error) return <Notice sign="⚠" title={words.record.failed} about={faultTexts(error).join(' ')} />
  if (!contents.data || !payments.data || !ofPayments.data) return <p role="status">{words.loading}</p>
  const lines = linesOf(contents.data)
  return (
    <>
      <OrderHead item={item} />
      <p role="status" className={css.done}>
        {done}
      </p>
      <div className={css.columns}>
        <div>
          <OrderLines order={item} contents={contents.data} />
          <OrderShipping order={item} {...{ itemPath, fields, onDone }} />
        </div>
        <div>
          {update && (
            <OrderDeeds
              {...{ itemPath, etag, fields, update, onDone }}
              order={item}
              name={nameOf(item, fields.shown)}
            />
          )}
          <OrderPayments
            {...{ itemPath, lines, onDone }}
            order={item}
            payments={payments.data}
            fields={ofPayments.data}
          />
          <OrderTimeline
            ids={idsOf(item, payments.data)}
            shown={[...fields.shown, ...ofPayments.data.shown]}
          />
        </div>
      </div>
    </>
  )
}
