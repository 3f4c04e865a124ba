import type { Express } from 'express'
import { serveTable } from './frame/serve.ts'
import type { Served } from './frame/workbench.ts'
import { workbench } from './table.ts'

/** Serves the pages and forms of members below `/app`. */
export const serveWorkbench = (app: Express, served: Served): void =>
  serveTable(app, served, workbench)
