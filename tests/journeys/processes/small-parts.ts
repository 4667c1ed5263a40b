import { app } from '../../../server/app.ts'
import { productImportOf } from '../../../server/assortment/product-csv/product-import.ts'
import type { Module } from '../../../server/kernel/module.ts'

export const rowsPerPart = 100

const productImport = productImportOf(rowsPerPart)

/** The server, whose imports of products take a part of a thousand rows at a time, with smaller parts. */
export const smallParts: readonly Module[] = app.map((module) => ({
  ...module,
  jobs: module.jobs.map((job) => (job.name === productImport.name ? productImport : job)),
}))
