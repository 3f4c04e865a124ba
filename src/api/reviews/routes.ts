import { routes } from '../../http/endpoint.ts'

export const reviewRoutes = routes({})
