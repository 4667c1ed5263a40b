import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Write } from '../../api/document.ts'
import { ApiProblem } from '../../api/problem.ts'
import { useWriter } from '../../forms/use-writer.ts'
import { faultTexts } from '../../parts/faults.tsx'
import { screenWords } from '../../words/words.ts'
import { cellOf, currenciesAfter, type RowChange } from './prices.ts'

export interface PriceWrites {
  readonly create: Write
  readonly update: Write
  readonly remove: Write
}

/** The sentences of refusals, by cell, or by price book if they are about no cell. */
export type CellFaults = Readonly<Record<string, string>>

/** Saves changed prices one after the other, each with the version that was read. */
export function useSavePrices({ create, update, remove }: PriceWrites, sku: string) {
  const queries = useQueryClient()
  const [faults, setFaults] = useState<CellFaults>({})
  const [isRunning, setRunning] = useState(false)
  const creator = useWriter(create, '')
  const updater = useWriter(update, '')
  const remover = useWriter(remove, '')

  function saveOne(change: RowChange) {
    const { price, bookId } = change.row
    const currencies = currenciesAfter(change)
    const data = { type: 'product-price', attributes: { ...(!price && { sku }), currencies } }
    if (!price) return creator.write({ data }, undefined, `/pcm/pricebooks/${bookId}/prices`)
    if (Object.keys(currencies).length === 0) return remover.write(undefined, price.etag, price.path)
    return updater.write({ data }, price.etag, price.path)
  }

  /** Returns the changes that are saved. Those that were refused stay, with the reason. */
  async function save(changes: readonly RowChange[]): Promise<readonly RowChange[]> {
    setRunning(true)
    const saved: RowChange[] = []
    const refused: Record<string, string> = {}
    for (const change of changes)
      try {
        await saveOne(change)
        saved.push(change)
      } catch (error) {
        Object.assign(refused, faultsOf(change, error))
      }
    // Also of those that somebody else has changed meanwhile.
    await Promise.all(['item', 'list'].map((key) => queries.invalidateQueries({ queryKey: [key] })))
    setFaults(refused)
    setRunning(false)
    return saved
  }
  return { save, faults, isRunning }
}

/** A refusal is about the cells that it names, or about the whole price. */
function faultsOf({ row, cells }: RowChange, error: unknown): CellFaults {
  if (error instanceof ApiProblem && error.status === 412)
    return { [row.bookId]: screenWords.products.prices.changedMeanwhile }
  const faults = error instanceof ApiProblem ? error.faults : []
  const inCells = cells.flatMap(({ currency }) => {
    const own = faults.filter(({ source }) => source?.split(/[./]/).includes(currency))
    const text = own.map(({ title, detail }) => detail ?? title).join(' ')
    return text ? [[cellOf(row.bookId, currency), text] as const] : []
  })
  return inCells.length ? Object.fromEntries(inCells) : { [row.bookId]: faultTexts(error).join(' ') }
}
