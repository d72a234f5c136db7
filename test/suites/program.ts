import { suite } from "./suites";

suite("program");
