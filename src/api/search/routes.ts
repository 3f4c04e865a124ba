import { routes } from '../../http/endpoint.ts'

export const searchRoutes = routes({})
