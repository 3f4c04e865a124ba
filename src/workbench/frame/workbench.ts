import type { Request, Response } from 'express'
import type { Context } from '../../context.ts'
import type { Admission } from '../../http/limits/admission.ts'
import type { BodyBudget } from '../../http/limits/body-budget.ts'
import type { Throttles } from '../../http/limits/throttles.ts'
import type { writeTogether } from '../../store/write-together.ts'
import type { Router } from './routes.ts'

export type Served = { ctx: Context; throttles: Throttles; admission: Admission }

/** What all requests share. */
export type Workbench = Served & {
  router: Router
  budget: BodyBudget
  write: ReturnType<typeof writeTogether>
  /** The path of the server, without a slash at its end. */
  base: string
}

/** A request of a browser, and the path that it asks for, below `/app`. */
export type Exchange = { req: Request; res: Response; path: string }
