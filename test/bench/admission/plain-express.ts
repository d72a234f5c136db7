/** The way that most write a webhook: Express as it comes, its JSON parser, and the rules. */
import { createServer } from "node:https";
import express from "express";
import { answer, listenPort, type Review, serverOptions } from "./same-rules";

const app = express();
app.use(express.json({ limit: "8mb" }));
app.post("/{*path}", (request, response) => {
  response.json(answer(request.body as Review));
});
app.get("/{*path}", (_request, response) => {
  response.end();
});

createServer(serverOptions, app).listen(listenPort, "127.0.0.1");
