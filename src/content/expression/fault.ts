import { type Fault, invalid } from '../../errors.ts'

/** The fault of an expression: its sentence says at which character, counted from 1; `detail.position` counts from 0. */
export const expressionFault = (sentence: string, position: number): Fault =>
  invalid(`${sentence}, at character ${position + 1}.`, { position })
