/** The service refuses a request. */
export class VectorRefusal extends Error {
  override readonly name = 'VectorRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
