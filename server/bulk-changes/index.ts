export { bulkChange } from './chapters.ts'
