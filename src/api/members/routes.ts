import { routes } from '../../http/endpoint.ts'

export const memberRoutes = routes({})
