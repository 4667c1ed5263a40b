import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { type Item, isItem, valueAt } from '../../api/objects.ts'
import { resourceOf } from '../../api/resources.ts'
import { useRights } from '../../api/rights.ts'
import { useAttempt } from '../../forms/use-attempt.ts'
import { Button } from '../../parts/button.tsx'
import { Faults, faultTexts } from '../../parts/faults.tsx'
import parts from '../../parts/parts.module.css'
import type { TabProps } from '../../records/record-parts.ts'
import { screenWords, words } from '../../words/words.ts'
import css from './stock.module.css'

/** How much of a product there is, and the form that changes it. */
export function StockTab({ item, itemPath }: TabProps) {
  const { stock } = screenWords
  const rights = useRights()
  const create = resourceOf('stock-transactions')?.create
  return (
    <>
      <dl className={css.amounts}>
        {(['available', 'allocated', 'total'] as const).map((name) => (
          <div key={name}>
            <dt>{stock.amounts[name]}</dt>
            <dd>{words.number(Number(valueAt(item, `attributes.${name}`) ?? 0))}</dd>
          </div>
        ))}
      </dl>
      {create && rights.may(create.right) ? (
        <ChangeForm write={create} path={`${itemPath}/transactions`} locations={locationsOf(item)} />
      ) : (
        rights.role && <p>{words.rights.mayNotChange(rights.role)}</p>
      )}
    </>
  )
}

const locationsOf = (item: Item): readonly string[] => {
  const locations = valueAt(item, 'attributes.locations')
  return isItem(locations) ? Object.keys(locations) : []
}

const kinds = ['increment', 'decrement', 'set', 'allocate', 'deallocate'] as const

interface ChangeFormProps {
  readonly write: Parameters<typeof useAttempt>[0]
  readonly path: string
  readonly locations: readonly string[]
}

function ChangeForm({ write, path, locations }: ChangeFormProps) {
  const id = useId()
  const { stock } = screenWords
  const queries = useQueryClient()
  const attempts = useAttempt(write, path, 'stock')
  const [kind, setKind] = useState<(typeof kinds)[number]>('increment')
  const [amount, setAmount] = useState('')
  const [location, setLocation] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [faults, setFaults] = useState<readonly string[]>([])
  const [done, setDone] = useState('')
  const send = async (body: unknown) => {
    setRunning(true)
    setFaults([])
    setDone('')
    try {
      await attempts.send(body)
      setAmount('')
      setDone(stock.done)
      await Promise.all(['item', 'list'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
    } catch (error) {
      setFaults(faultTexts(error))
    } finally {
      setRunning(false)
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!/^\d+$/.test(amount)) return setFaults([words.form.notInteger])
    const values = { action: kind, quantity: Number(amount), ...(location && { location }) }
    void send({ data: { type: 'stock-transaction', ...values } })
  }
  if (attempts.unknown)
    return (
      <>
        <p role="status">{stock.unknown}</p>
        <Faults texts={faults} />
        <div className={parts.row}>
          <Button look="main" disabled={isRunning} onClick={() => void send(attempts.unknown?.body)}>
            {stock.again}
          </Button>
          <Button onClick={attempts.drop}>{stock.drop}</Button>
        </div>
      </>
    )
  return (
    <form className={css.change} noValidate onSubmit={submit}>
      <div>
        <label htmlFor={`${id}-kind`}>{stock.kind}</label>
        <select
          id={`${id}-kind`}
          className={parts.input}
          value={kind}
          onChange={({ target }) => setKind(kinds.find((one) => one === target.value) ?? 'increment')}
        >
          {kinds.map((one) => (
            <option key={one} value={one}>
              {stock.kinds[one]}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label htmlFor={`${id}-amount`}>{stock.amount}</label>
        <input
          id={`${id}-amount`}
          className={parts.input}
          inputMode="numeric"
          autoComplete="off"
          value={amount}
          onChange={({ target }) => setAmount(target.value)}
        />
      </div>
      {locations.length > 0 && (
        <div>
          <label htmlFor={`${id}-location`}>{stock.location}</label>
          <select
            id={`${id}-location`}
            className={parts.input}
            value={location}
            onChange={({ target }) => setLocation(target.value)}
          >
            <option value="">{stock.nowhere}</option>
            {locations.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
      )}
      <Button type="submit" look="main" disabled={isRunning}>
        {stock.submit}
      </Button>
      <p role="status">{done}</p>
      <Faults texts={faults} />
    </form>
  )
}
