import { useState } from 'react'
import input from '../../parts/parts.module.css'
import { screenWords } from '../../words/words.ts'
import css from './orders.module.css'
import type { Line } from './totals.ts'

/** What some units of a line have cost, with their part of its discounts and taxes. */
export const partOf = ({ total, quantity }: Line, units: number): number =>
  Math.round((total * units) / quantity)

interface RefundLinesProps {
  readonly lines: readonly Line[]
  text(amount: number): string
  onAmount(sum: number): void
}

/** Adds up what units of some lines have cost. */
export function RefundLines({ lines, text, onAmount }: RefundLinesProps) {
  const { refund } = screenWords.orders
  const [units, setUnits] = useState<Readonly<Record<string, number>>>({})
  const change = (line: Line, typed: number) => {
    const n = Math.min(Math.max(Math.trunc(typed) || 0, 0), line.quantity)
    const next = { ...units, [line.id]: n }
    setUnits(next)
    onAmount(lines.reduce((sum, one) => sum + partOf(one, next[one.id] ?? 0), 0))
  }
  return (
    <div className={css.units}>
      <p className={css.dim}>{refund.linesAbout}</p>
      {lines.map((line) => (
        <label key={line.id}>
          <input
            className={input.input}
            type="number"
            min={0}
            max={line.quantity}
            value={units[line.id] ?? 0}
            onChange={({ target }) => change(line, target.valueAsNumber)}
          />{' '}
          {refund.unitsOf(line.quantity)} <bdi>{line.name}</bdi>{' '}
          <span className={css.dim}>{text(line.total)}</span>
        </label>
      ))}
    </div>
  )
}
