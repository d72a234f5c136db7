import { suite } from "./suites";

suite("webhook");
